"""Tests which flags the demo refuses, before it builds anything, and what its flags choose."""

import functools
import os
import subprocess
from unittest import mock

import flags
import main
import menu
import simulations
import testing
from program_checks import check_refusals, run_main

# Where the binaries are: in Bazel's test, or in the clone.
BINARIES = "bench/" if os.path.exists("bench/serial_sim") else menu.BINARIES


class RefusalTest(testing.DemoCase):

    def check_refusals(self, cases):
        check_refusals(self, [([*given, "--check"], ["demo: " + words]) for given, words in cases],
                       functools.partial(run_main, main.main, "--out=" + self.folder))

    def test_bad_flags(self):
        self.check_refusals([
            (["--ranks=1,x"], "--ranks=1,x: must be numbers from 1"),
            (["--repeat=no"], "--repeat=no: must be a number from 1"),
            (["--programs=fob"], "--programs=fob: fob is none of uts, fib,"),
            (["--programs="], "--programs= names none of uts"),
            (["--runtimes=cont"], "--runtimes=cont: cont is none of serial, cont_greedy,"),
            (["--runtimes="], "--runtimes= names none of serial, cont_greedy,"),
            (["--backend=ib"], "argument --backend: invalid choice: 'ib' (choose from"),
            (["--net=nosuch"], "--net=nosuch: it begins with one of ito_a, wisteria_o"),
            (["--net=ito_a,latency"], "--net=ito_a,latency: behind the name stand changes like latency=2us"),
            (["--net=fx10", "--no_plots"], "--net=fx10: with --no_plots nothing is simulated but by --backend=sim"),
            (["--out="], "--out=: the name of a folder"),
            *((["--out=" + out], "--out=%s: a folder in which files can be made (%s" % (out, words))
              for out, words in (("/dev/null", "File exists"), ("/proc/x", "No such file"), ("/proc", ""))),
            (["--such"], "unrecognized arguments: --such"),
            (["--programs=lcs", "--runtimes=child_rtc"],
             "--programs=lcs --runtimes=child_rtc: no program with a runtime that runs it: LCS 32768 is left out: "
             "child_rtc may have a task join one that is buried under it."),
            (["--programs=bpc", "--runtimes=cont_greedy"],
             "--programs=bpc --runtimes=cont_greedy: no program with a runtime that runs it: BPC is left out: it is"),
        ])

    def test_runtimes_of_ones_own_that_cannot_be(self):
        own, broken = self.own("own"), self.own("broken", "\x7fELF nothing")
        pools = self.own("pools", testing.OWN % ("shm", "uts"))
        simulated = self.own("simulated", testing.OWN % ("sim", "fib"))

        def refused(name, binary, words):
            return ["--runtimes=%s=%s" % (name, binary)], "--runtimes=%s=%s: %s" % (name, binary, words)

        self.check_refusals([
            refused("mine", "no/such", "no/such is no program; build it first"),
            refused("mine", "fib", "fib is no program; build it first"),
            refused("mine", "", " is no program; build it first"),
            refused("mine", self.folder, self.folder + " is no program; build it first"),
            refused("mine", "/bin/true", "its --help names neither fib nor bpc; link it with //bench:programs or"),
            refused("mine", pools, "its --help names neither fib nor bpc"),
            refused("mine", broken, broken + " does not run (Exec format error); build it for this machine"),
            refused("mine", simulated, "it is linked with //common/rma:sim; --backend=shm allows what is linked "
                    "with //common/rma:shm"),
            refused("", own, "a name of letters, digits and _ . + - stands before the ="),
            refused("a b", own, "a name of letters, digits and _ . + - stands before the ="),
            refused("serial", own, "serial is a name of Magpie's; give your own another one"),
            refused("cont_greedy", own, "cont_greedy is a name of Magpie's; give your own another one"),
            (["--runtimes=mine=%s,mine=%s" % (own, own)],
             "--runtimes=mine=%s: the name mine stands twice" % own),
        ])

    def test_the_simulator_knows_the_same_machines(self):
        refused = subprocess.run([BINARIES + "serial_sim", "fib", "--n=1", "--ranks=1", "--net=nosuch"],
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(refused.stderr.strip().partition("is not one of ")[2], ", ".join(menu.NETS))

    def test_changes_of_a_machine_that_the_simulator_does_not_know(self):
        with mock.patch.object(menu, "BINARIES", BINARIES):
            status, _, errors = self.demo("--backend=sim", "--programs=fib", "--runtimes=serial", "--no_plots",
                                          "--net=ito_a,such=1")
        self.assertEqual(status, 2)
        self.assertIn("demo: --net=ito_a,such=1: such is not one of latency, ", errors[-1])


class ChoiceTest(testing.DemoCase):

    def parsed(self, *given):
        return flags.parse(["--out=" + self.folder, *given])

    def test_paths_are_those_of_the_caller(self):
        with mock.patch.dict(os.environ, {flags.CALLER: self.folder}):
            self.assertEqual(flags.located("mine"), os.path.join(self.folder, "mine"))
            self.assertEqual(flags.located("/mine"), "/mine")
        with mock.patch.dict(os.environ, {flags.CALLER: os.getcwd()}):
            self.assertEqual(flags.located("mine"), "./mine")
            self.assertEqual(flags.located("bazel-bin/mine"), "bazel-bin/mine")
        own = self.own()
        with mock.patch.dict(os.environ, {flags.CALLER: self.folder}):
            self.assertEqual(self.parsed("--runtimes=mine=mine", "--programs=fib").runtimes[0].own_binary, own)
            self.assertEqual(flags.parse(["--out=there"]).out, os.path.join(self.folder, "there"))

    def test_a_program_of_ones_own_that_does_not_answer(self):
        silent = self.own("silent", "#!/bin/sh\nexec sleep 1000\n")
        with mock.patch.object(flags, "HELP_S", 0.2):
            status, _, errors = self.demo("--runtimes=mine=" + silent)
        self.assertEqual(status, 2)
        self.assertIn("--runtimes=mine=%s: its --help does not end" % silent, errors[-1])

    def test_a_program_of_ones_own_is_not_built(self):
        with mock.patch.object(menu, "BINARIES", self.folder + "/"):
            self.assertEqual(main.targets(self.parsed("--programs=fib", "--runtimes=mine=" + self.own())),
                             ["//bench:serial"])

    def test_flags_of_the_menu_are_not_for_ones_own(self):
        lcs = next(program for program in menu.PROGRAMS if program.name == "lcs")
        for name, binary, has in (("child_full", None, True), ("child_full_mine", "./mine", False)):
            command = menu.command_of(lcs, menu.Runtime(name, menu.FORK_JOIN, own_binary=binary), "shm", 2, "ito_a")
            self.assertEqual("--stack_bytes=256K" in command, has)
        self.assertEqual(menu.obstacle(lcs, menu.Runtime("child_rtc", menu.FORK_JOIN, own_binary="./mine")), "")

    def test_ranks_that_stand_twice(self):
        self.assertEqual(self.parsed("--ranks=4,2,4").ranks, [4, 2])

    def figures(self, *given):
        return {figure.name: figure for figure in simulations.figures(self.parsed(*given))}

    def test_figures_are_of_what_was_chosen(self):
        everything = ["efficiency", "throughput", "timeline", "steal", "volume", "places"]
        self.assertEqual(list(self.figures()), everything)
        self.assertEqual(list(self.figures("--programs=all")), everything)
        self.assertEqual(list(self.figures("--programs=fib")), [])
        self.assertEqual(list(self.figures("--programs=recpfor")), ["efficiency", "timeline"])
        self.assertEqual(list(self.figures("--runtimes=pool_glb")), ["places"])
        self.assertEqual(list(self.figures("--runtimes=cont_baseline")), [])
        greedy = self.figures("--runtimes=cont_greedy")
        self.assertEqual({name: {row.series for row in figure.rows("")} for name, figure in greedy.items()},
                         {"efficiency": {"cont_greedy"}, "throughput": {"ideal", "cont_greedy"},
                          "timeline": {"cont_greedy"}, "steal": {"fx10", "tsubame25"}})

    def test_events_are_of_the_menu_s_runtimes_that_were_chosen(self):
        built = main.targets(self.parsed("--programs=fib", "--runtimes=serial,cont_baseline,child_full_tuned"))
        self.assertEqual([each for each in built if each.endswith("_sim")], ["//bench:cont_baseline_sim"])

    def test_a_manager_has_a_core_in_the_figure_of_places(self):
        for row in self.figures()["places"].rows(""):
            for run in [one for one, *_ in row.tries] if row.series != "ideal" else []:
                hybrid = "hybrid" in row.series
                self.assertEqual(run.net, "kassel,node_size=13" if hybrid else "kassel")
                self.assertEqual(run.ranks * 12, row.x * (13 if hybrid else 12))

    def test_help_is_complete(self):
        status, output, _ = run_main(main.main, "--help")
        self.assertEqual(status, 0)
        for name in [each.name for each in menu.MENU + menu.VARIANTS + menu.PROGRAMS]:
            self.assertRegex(output, r"\b%s\b" % name)
        self.assertIn("Figures have no runtime that --runtimes leaves out", output)
