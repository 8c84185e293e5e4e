"""The charts of bench/explain: documents show what it prints, each race ends as its chart says, no label meets another."""

import contextlib
import functools
import importlib.machinery
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

import chart
import documents
import records
import scenarios
import text
import values
from program_checks import check_refusals, folder_of, run, run_main

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of the test's own folder: the programs that Bazel has built for it.
BINARIES = os.path.join(os.getcwd(), "bench")
EXPLAIN = importlib.machinery.SourceFileLoader("explain", str(ROOT / "bench/explain")).load_module()
# The compiler whose frames the documents show (EXPLAIN.md): others make other sizes, and transfers of other times.
SHOWN_COMPILER = "12"


def without_numbers(chart):
    """The events and their order."""
    return re.sub(r"[ =-]+", " ", re.sub(r"\d+(?:\.\d+)?", "N", chart))


def explain(*arguments, folder=ROOT, binaries=BINARIES):
    """(exit status, standard output, standard error) of a call in a folder."""
    with contextlib.chdir(folder):
        return run_main(EXPLAIN.main, *arguments, "--binaries=" + binaries)


def explained(test, *arguments, **options):
    """What a call prints that goes well."""
    status, output, errors = explain(*arguments, **options)
    test.assertEqual((status, errors), (0, ""))
    return output


@functools.cache
def drawn(event, runtime, outcome=""):
    [scenario] = [each for each in scenarios.find(event) if (each.runtime, each.outcome) == (runtime, outcome)]
    return chart.of(scenario, BINARIES)


class DocumentsTest(unittest.TestCase):
    maxDiff = None

    def test_charts_are_true(self):
        seen = str if run("gcc", "-dumpversion")[1].strip() == SHOWN_COMPILER else without_numbers
        for document in documents.DOCUMENTS:
            with self.subTest(document=document):
                shown = (ROOT / document).read_text()
                anew = documents.with_charts(shown, lambda command: explained(self, *command))
                self.assertEqual(seen(anew), seen(shown))

    def test_changes_are_seen(self):
        document = ("Words:\n\n    bench/explain steal\n\n    A chart.\n\n      1.0 |\n\n"
                    "More.\n\n    bench/explain x\n\n    y\n\n    bench/explain z\n\n    w\n")
        self.assertEqual(documents.with_charts(document, lambda arguments: "of %s\n" % arguments[0]),
                         "Words:\n\n    bench/explain steal\n\n    of steal\n\n"
                         "More.\n\n    bench/explain x\n\n    of x\n\n    bench/explain z\n\n    of z\n")


class EventsTest(unittest.TestCase):
    def states(self, outcome):
        """(rank, what it adds) of each fetch_add on the entry's state, in the order of their effects."""
        moments = drawn("join", "cont_greedy", outcome).moments
        effects = [each.number for each in moments if each.kind == "effect"]
        issues = {each.number: each for each in moments if each.kind == "issue"}
        return [(issues[number].rank, issues[number].label.split(" + ")[1]) for number in effects
                if issues[number].label.startswith("fetch_add state")]

    def test_each_outcome_of_the_race(self):
        self.assertEqual(self.states("joiner_first"), [(1, "joined"), (0, "done")])
        self.assertEqual(self.states("joiner_last"), [(0, "done"), (1, "joined")])
        self.assertEqual(self.states("done"), [(0, "done")])

    def test_operations_of_a_steal(self):
        """As the papers count them: hpdc15 Table 3, icpp21 §3.1 and §4.1."""
        for runtime, kinds, waits in [
                ("cont_greedy", "get fetch_add put get get get swap", 6),
                ("pool_sdc", "fetch_add get put swap get fetch_add", 4),
                ("pool_sws", "get fetch_add get fetch_add", 3)]:
            thief = [each for each in drawn("steal", runtime).moments if each.kind == "issue" and each.rank == 1]
            self.assertEqual([each.label.split()[0] for each in thief], kinds.split())
            self.assertEqual(sum(each.blocking for each in thief), waits)

    def test_values(self):
        """Those that no document shows."""
        self.assertEqual(values.change("closed", "steals 0, tasks 1"), "closed -> steals 0, tasks 1")
        self.assertEqual(values.change("taken, 2 tries failed", "free"), "taken, 2 tries failed -> free")
        self.assertEqual(values.text("top", (1 << 64) - 1, None), "-1")
        self.assertIsNone(values.frames("item 3", [1, 2, 3, 4]))

    def test_the_most_exact_name(self):
        """As name_bytes of common/rma/rma.h says."""
        names = records.Names([dict(record="name", name=name, offset=offset, bytes=size, count=count)
                               for name, offset, size, count in [
                                   ("queue", 0, 64, 1), ("top", 8, 8, 1), ("later", 8, 8, 1), ("item", 16, 16, 3),
                                   ("whole", 0, 64, 1)]], "")
        self.assertEqual([names.of("heap", offset, 8) for offset in (0, 8, 32)], [["queue"], ["top"], ["item 1"]])


class LayoutTest(unittest.TestCase):
    def test_only_long_labels_of_arrows_are_cut(self):
        for scenario in scenarios.SCENARIOS:
            with self.subTest(event=scenarios.command(scenario)):
                built = drawn(scenario.event, scenario.runtime, scenario.outcome)
                _, lines = text.rows(built)
                self.assertTrue(lines)
                for moment, line in zip(built.moments, lines, strict=True):
                    self.assertLessEqual(len(line), text.WIDTH)
                    self.assertIn(moment.label[:17] if moment.kind == "issue" else moment.label, line)
                    self.assertRegex(line, r"^ *%.3f( .*)?" % (moment.time / 1e6))


class LogTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = str(folder_of(cls) / "log")
        subprocess.run([os.path.join(BINARIES, "cont_greedy_sim"), "fib", "--n=12", "--ranks=3", "--net=ito_a",
                        "--log=" + cls.path], check=True, stdout=subprocess.DEVNULL)

    def lines(self, *flags):
        return explained(self, "--log=" + self.path, *flags).splitlines()

    def test_there_is_a_line_for_each_record_but_names(self):
        with open(self.path, encoding="utf-8") as file:
            kept = [line for line in file if '"record":"name"' not in line]
        found = self.lines()
        self.assertEqual(len(found), len(kept))
        for line in found:
            self.assertRegex(line, r"^ *\d+\.\d{6} us  rank [0-2]: \w")

    def test_during_an_event(self):
        found = self.lines("--during=steal:1")
        [end] = [re.search(r"us  rank (\d): steal, until ([0-9.]+) us", line) for line in found if ": steal," in line]
        mine = [line.split(": ")[1] for line in found if "rank %s: issues" % end[1] in line]
        self.assertEqual([line.split()[1] for line in mine], ["get", "fetch_add", "put", "get", "get", "get", "swap"])
        self.assertLess(max(float(line.split()[0]) for line in found), float(end[2]) + 1e-6)
        atomic = next(line for line in found if re.search("rank %s: fetch_add" % end[1], line))
        self.assertRegex(atomic, r"fetch_add of 8 bytes at heap\+0x[0-9a-f]+ of rank \d: 1, found \d+$")

    def test_what_is_refused(self):
        check_refusals(self, [(["--log=" + self.path, "--during=steal:1000"], ["--during=steal:1000: the run had "])],
                       explain, status=1)
        check_refusals(self, [
            (["--log=" + self.path, "--during=steal"], ["--during: steal: a name and a number"]),
            (["--during=steal:1"], ["--during: steal:1: --log=FILE is needed"]),
            (["--log=/no/such"], ["--log: /no/such: No such file"]),
            (["--log=" + __file__], ["is no log of records"]),
            (["--log=" + self.path, "steal"], ["EVENT: steal: not allowed with --log"]),
        ], explain)


class CommandTest(unittest.TestCase):
    def test_list(self):
        status, output, errors = run(sys.executable, ROOT / "bench/explain", "--list", cwd=ROOT)
        self.assertEqual((status, errors), (0, ""))
        lines = output.splitlines()
        self.assertEqual(len(lines), len(scenarios.SCENARIOS))
        self.assertEqual(len(set(lines)), len(lines))

    def test_event_runtime_and_outcome_choose(self):
        for arguments, chosen in [
                (["steal"], scenarios.find("steal")),
                (["--runtime=pool_sws"], [each for each in scenarios.SCENARIOS if each.runtime == "pool_sws"]),
                (["--outcome=done"], [each for each in scenarios.SCENARIOS if each.outcome == "done"]),
                (["release", "--runtime=cont_baseline"], [each for each in scenarios.find("release")
                                                          if each.runtime == "cont_baseline"])]:
            with self.subTest(arguments=arguments):
                listed = [line.split("  # ")[0] for line in explained(self, "--list", *arguments).splitlines()]
                self.assertEqual(listed, [scenarios.command(each) for each in chosen])

    def test_pages_of_all(self):
        into = folder_of(self) / "pages"
        pages = {"join": "cont_greedy: join, outcome by outcome", "release": "Freeing by local collection",
                 "steal": "Steal of a thread: uni-address threads over THE"}
        self.assertEqual(explained(self, "--all", "--runtime=cont_greedy", "--html=%s" % into),
                         "".join("%s/%s_cont_greedy.html: %s\n" % (into, *each) for each in pages.items()))
        self.assertEqual(len(os.listdir(into)), len(pages))
        for event, title in pages.items():
            self.assertIn("<title>%s</title>" % title, (into / (event + "_cont_greedy.html")).read_text())

    def test_programs_of_ones_own(self):
        """The commands of EXPLAIN.md, from another folder; and an event that does not come."""
        lines = (ROOT / "bench/EXPLAIN.md").read_text().splitlines()
        commands = [shlex.split(line)[1:] for line in lines if re.match("    bench/explain .*--program", line)]
        folder = folder_of(self)
        (folder / "bazel-bin").symlink_to(os.getcwd())
        for command, title, thief in zip(commands, ("Steal 2 of queens_sim.", "Steal 1 of fib_sim."), (
                "fetch_add get get put swap", "get fetch_add put get get get swap"), strict=True):
            output = explained(self, *command, folder=folder)
            self.assertEqual(output.splitlines()[0], title)
            self.assertEqual(re.findall(r"\|<?[=-]+ (\w+)", output), thief.split())
            self.assertLessEqual(max(map(len, output.splitlines())), text.WIDTH)
        # Of other ranks, what they do to other words is left out.
        output = explained(self, "steal:4", commands[0][1].replace("ranks=2", "ranks=4"), folder=folder)
        self.assertEqual(output.splitlines()[3].count("rank"), 2)
        ours = [explained(self, "steal", "--runtime=pool_sdc", *program, folder=folder) for program in (
            [], ["--program=bazel-bin/bench/pool_sdc_sim " + scenarios.POOL])]
        self.assertEqual(*([line for line in each.splitlines() if re.match(" +\\d", line)] for each in ours))
        made = folder / "no_program"
        made.write_text("")
        no_program = [(["--program=%s" % made], [])]
        check_refusals(self, no_program, explain)
        made.chmod(0o755)
        check_refusals(self, no_program, explain, status=1)
        check_refusals(self, [(["steal:2", "--program=bench/cont_greedy_sim meet --ranks=2 --stats=json"],
                               ["the run has no steal:2; it had these events: ", ", steal: 1"])],
                       functools.partial(explain, folder=os.getcwd()), status=1)

    def test_what_is_refused(self):
        check_refusals(self, [(arguments, [words]) for arguments, words in [
            (["--all", "--program=x"], "argument --program: not allowed with argument --all"),
            (["--program=x", "--outcome=done"], "--outcome: done: not allowed with --program"),
            (["--program="], "--program: : a command is needed, with a program first"),
            (["--program=/no/x"], "--program: /no/x: there is no such program"),
            (["steal:0", "--program=x"], "EVENT: steal:0: a name and a number from 1 on are needed"),
            (["steal:²", "--program=x"], "EVENT: steal:²: a name and a number from 1 on are needed"),
            (["--program=x", "--runtime=y"], "--runtime: y is not one of child_full, "),
            (["stael"], "EVENT: stael is not one of acquire, cancel, join, "),
            ([], "EVENT is missing: acquire, cancel, join, "),
            (["steal", "--runtime=serial"], "--runtime: serial is not one of child_full, "),
            (["join", "--outcome=x"], "--outcome: x is not one of away, done, joiner_first, joiner_last"),
            (["steal", "--runtime=cont_greedy", "--outcome=none"],
             "--outcome: none: what is chosen has no outcome, and none is allowed"),
            (["--list", "--rewrite"], "argument --rewrite: not allowed with argument --list"),
            (["steal", "--rewrite"], "EVENT: steal: not allowed with --rewrite"),
            (["--list", "--html=q"], "--html: q: not allowed with --list"),
            (["cancel", "--bogus"], "unrecognized arguments: --bogus"),
            (["join", "--html=x.html"], "--html: x.html: a page has one EVENT and one --runtime"),
            (["--all", "--html=/dev/null/x"], "--html: /dev/null/x: Not a directory"),
            (["cancel", "--html=/no/such/folder/x"], "--html: /no/such/folder/x: No such file or directory"),
        ]], explain)

    def test_a_program_that_is_not_there(self):
        for more in ([], ["--html=/no/x"]):
            self.assertEqual(explain("cancel", *more, binaries="/no"), (
                2, "", "--binaries: /no: /no/pool_glb_sim is not there: bazel build //bench:pool_glb_sim\n"))
