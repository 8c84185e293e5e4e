"""Reads traces and timelines back: they agree with the report of their run, on every network.

Usage: trace_test.py                             on shm and sim
       trace_test.py RUN_MPI FLAVOR LAUNCHER     over MPI (third_party/mpi/run_mpi.sh and its flags)
"""

import collections
import functools
import json
import os
import pathlib
import subprocess
import sys
import unittest

import plot
import trace_file
from program_checks import check_refusals, folder_of, over, run, run_main
from trace_checks import check_moves, check_sums, named, total, with_all_events
from trace_file import duration

FORK_JOIN = ["cont_greedy", "cont_greedy_sws", "cont_stalling", "child_full", "child_rtc"]
LIFELINE_POOLS = ["pool_glb", "pool_glb_hybrid"]
POOLS = ["pool_sws", "pool_sdc"] + LIFELINE_POOLS
# Pools whose places have several workers.
PLACES = ["--ranks=40", "--net=kassel,node_size=8", "--workers_per_place=3"]
RUNTIMES = FORK_JOIN + POOLS
# Phases of a steal, which are those of the papers' tables, in their order.
PHASES = {
    "cont_greedy": ["empty check", "lock", "take item", "task copy", "unlock"],
    "cont_greedy_sws": ["empty check", "claim", "copy items", "task copy", "notice"],
    "child_full": ["empty check", "lock", "take item", "unlock"],
    "pool_sdc": ["lock", "take item", "unlock", "copy items", "notice"],
    "pool_sws": ["claim", "copy items", "notice"],
}
FIB = ["fib", "--n=14"]
LOOPS = ["pfor", "--recursive", "--n=64"]
TREE = ["uts", "-t", "balanced", "-d", "4", "-b", "7"]
# third_party/mpi/run_mpi.sh and its flags: with a launcher the runs over MPI, and no others.
MPI = sys.argv[1:]
sys.argv[1:] = ["-k", "mpi"] if MPI else []
# Size of a pool's tasks in its queue: 24 bytes of closure.
SLOT_BYTES = 32


def on_ranks(ranks, binary, *flags):
    """The command, over MPI if there is a launcher."""
    if not MPI:
        return [binary, *flags, "--ranks=%d" % ranks]
    run_mpi, flavor, launcher = MPI
    return [run_mpi, "--flavor=" + flavor, "--launcher=" + launcher, "--ranks=%d" % ranks, binary + "_mpi", *flags]


def of_runs():
    """Commands that run twice, the second time in the folder that the last argument names."""
    binary = os.path.abspath("bench/trace_of_runs")
    return [on_ranks(2, binary + network) for network in ([""] if MPI else ["_shm", "_sim"])]


def simulated(runtime, *flags):
    return ["bench/%s_sim" % runtime, *(TREE if runtime in POOLS else LOOPS), "--json", *flags]


class TraceTest(unittest.TestCase):
    def setUp(self):
        self.folder = folder_of(self)
        self.trace = str(self.folder / "trace.json")
        self.timeline = str(self.folder / "timeline.csv")

    def traced(self, command, *flags):
        """(the run's report, {rank: Track}, rows of the timeline)."""
        status, output, errors = run(*command, "--trace=" + self.trace, "--timeline=" + self.timeline, *flags)
        self.assertEqual((status, output.count("\n")), (0, 1), errors)
        return json.loads(output), trace_file.load(self.trace), trace_file.load_timeline(self.timeline)

    def check_timeline(self, tracks, rows):
        self.assertEqual([0] + [row["end_ns"] for row in rows],
                         [row["begin_ns"] for row in rows] + [max(track.run.end for track in tracks.values())])
        self.assertLessEqual(len(rows), 1024)
        busy = sum(total(track.events, "busy") for track in tracks.values())
        ready = sum(duration(join) for track in tracks.values() for join in track.joins)
        for name, nanoseconds in (("busy_ranks", busy), ("ready_joins", ready)):
            integral = sum(row[name] * (row["end_ns"] - row["begin_ns"]) for row in rows)
            self.assertAlmostEqual(integral, nanoseconds, delta=1e-6 * nanoseconds)
        self.assertLessEqual(max(row["busy_ranks"] for row in rows), len(tracks) * (1 + 1e-6))


class AgreementTest(TraceTest):
    def check(self, command):
        report, tracks, rows = with_all_events(lambda flag: self.traced(command, flag))
        self.assertEqual(list(tracks), list(range(report["ranks"])))
        self.assertEqual([trace_file.dropped(track) for track in tracks.values()], [0] * len(tracks))
        for track in tracks.values():
            self.check_track(track, report)
        check_sums(self, report["metrics"], tracks)
        # Loot on a lifeline is no steal.
        if report["runtime"] not in LIFELINE_POOLS:
            slot_bytes = SLOT_BYTES if report["runtime"] in POOLS else None
            check_moves(self, tracks, report["runtime"].startswith("cont"), slot_bytes)
        self.check_timeline(tracks, rows)
        self.check_arrows(tracks)
        self.assertGreater(report["metrics"]["steals_ok"] + report["metrics"].get("lifeline_loads", 0), 0)
        return report, tracks

    def check_track(self, track, report):
        """The rank is busy or idle at each instant, and all other events lie within one of the two."""
        top = [event for event in track.events if event.inside.name == "run"]
        self.assertLessEqual({event.name for event in top}, {"busy", "idle"})
        self.assertEqual([track.run.begin] + [event.end for event in top], [e.begin for e in top] + [track.run.end])
        for event in track.events:
            around = event.inside.name
            if event.name in ("steal", "failed steal", "search"):
                self.assertEqual(around, "idle")
            elif event.name in ("suspend", "bring in", "resume"):
                self.assertEqual(around, "busy")
            elif event.name == "task copy":
                self.assertIn(around, ("steal", "busy"))
            elif event.name not in ("busy", "idle") and report["runtime"] in LIFELINE_POOLS:
                # A manager takes tasks of its place to send them.
                self.assertIn(around, ("steal", "failed steal", "idle"))
            elif event.name not in ("busy", "idle"):
                self.assertEqual(around, "steal")
            if event.name in ("steal", "failed steal"):
                self.assertIn(event.args["victim"], set(range(report["ranks"])) - {track.rank})
        for name, count in (("steal", "steals_ok"), ("failed steal", "steals_failed")):
            self.assertEqual(len(named(track.events, name)), track.run.args[count])
        self.assertEqual(len(track.events) + len(track.joins), track.run.args["events"])

    def check_arrows(self, tracks):
        ends = {"s": {}, "f": {}}
        with open(self.trace) as file:
            for event in json.load(file)["traceEvents"]:
                if event["ph"] in ends:
                    self.assertNotIn(event["id"], ends[event["ph"]])
                    ends[event["ph"]][event["id"]] = (event["tid"] - 1, trace_file.nanoseconds(event, "ts"))
        self.assertEqual(set(ends["s"]), set(ends["f"]))
        arrows = collections.Counter(start + ends["f"][i] for i, start in ends["s"].items())
        self.assertEqual(arrows, collections.Counter((steal.args["victim"], steal.begin, rank, steal.end)
                         for rank, track in tracks.items() for steal in named(track.events, "steal")))
        for victim, begin, thief, end in arrows:
            self.assertTrue(victim != thief and begin <= end)

    def check_phases(self, runtime, tracks):
        """Each steal has its phases, one after the other."""
        for track in tracks.values() if runtime in PHASES else ():
            parts = collections.defaultdict(list)
            for event in track.events:
                # SWS looks first if it has found nothing there before.
                if event.inside.name == "steal" and (runtime, event.name) != ("pool_sws", "empty check"):
                    parts[event.inside.begin].append(event.name)
            self.assertEqual(len(parts), track.run.args["steals_ok"])
            self.assertLessEqual(set(map(tuple, parts.values())), {tuple(PHASES[runtime])})

    @over("runtime, program", (("cont_greedy", FIB), ("pool_glb_hybrid", TREE)))
    def test_a_real_network_mpi_or_shm(self, runtime, program):
        """//tests/matrix has all of them. Three ranks are a place of two workers and their manager."""
        self.check(on_ranks(3, "bench/" + runtime, *program, "--forced_steal", "--json"))

    @over("runtime", RUNTIMES)
    def test_sim(self, runtime):
        command = simulated(runtime, "--ranks=16", "--net=lotus")
        report, tracks = self.check(command)
        self.check_phases(runtime, tracks)
        # A simulated run is the same, to the nanosecond, with a trace and without.
        self.assertEqual(json.loads(run(*command)[1]), report)
        self.assertEqual(any(track.joins for track in tracks.values()), runtime in FORK_JOIN)
        # A thread that greedy join resumes may have waited on another rank.
        moved = [event for track in tracks.values() for event in named(track.events, "bring in")
                 if event.args["from"] != track.rank]
        self.assertEqual(any(moved), runtime.startswith("cont_greedy"))

    @over("steal_by", ("pulling", "asking"))
    def test_places(self, steal_by):
        """Managers take tasks from other places, or ask there."""
        _, tracks = self.check(simulated("pool_glb_hybrid", "--steal_by=" + steal_by, *PLACES))
        ranks = {event.args["victim"] // 4 != rank // 4 for rank, track in tracks.items()
                 for event in named(track.events, "steal")}
        # Steals within places, and between them.
        self.assertEqual(ranks, {False, True})

    @over("binary, program", (("serial", FIB), ("cont_greedy", FIB), ("pool_serial", TREE), ("pool_sws", TREE)))
    def test_one_rank(self, binary, program):
        _, tracks, rows = self.traced(["bench/" + binary, *program, "--ranks=1", "--json"])
        [track] = tracks.values()
        self.assertEqual([(e.name, e.begin, e.end) for e in track.events], [("busy", track.run.begin, track.run.end)])
        self.assertEqual({row["busy_ranks"] for row in rows[track.run.begin // 1024 + 1:]}, {1})


class TableTest(TraceTest):
    def test_table(self):
        """The means of the phases add up to the steal's; missing events are reported."""
        for flags in [], ["--trace_events=200"]:
            _, tracks, _ = self.traced(simulated("cont_greedy", "--ranks=16", "--net=ito_a"), *flags)
            steals = [steal for track in tracks.values() for steal in trace_file.steals_of(track)]
            lines = run_main(plot.main, "--table", self.trace)[1].splitlines()
            end = next(i for i, line in enumerate(lines) if line.startswith("steal "))
            means = [float(line[32:].split()[1]) for line in lines[1:end + 1]]
            self.assertAlmostEqual(sum(means[:-1]), means[-1], delta=0.05 * len(means))
            self.assertEqual([line[:32].strip() for line in lines[1:end]], [*PHASES["cont_greedy"], "the rest"])
            self.assertEqual(bool(flags), "events were dropped" in lines[-1])
            self.assertEqual(int(lines[end].split()[1]), len(steals))
            # A thread is resumed after its steal.
            for steal in steals:
                self.assertGreaterEqual(steal.resume.begin, steal.event.end)
                self.assertEqual(steal.resume.args["bytes"], steal.event.args["bytes"])
                self.assertEqual(sum(steal.phases.values()), duration(steal.event))


class BoundsTest(TraceTest):
    def test_bins(self):
        for bins in (2, 7):
            _, tracks, rows = self.traced(simulated("cont_greedy", "--ranks=8"), "--timeline_bins=%d" % bins)
            self.assertLessEqual(len(rows), bins + bins % 2)
            self.assertGreaterEqual(len(rows), bins // 2)

    def test_many_ranks(self):
        """Rank 0 takes longer to get all events than a simulator waits for ranks that do nothing."""
        report, tracks, _ = self.traced(
            ["bench/cont_greedy_sim", *FIB, "--ranks=4000", "--net=ito_a", "--json"], "--trace_events=10")
        self.assertEqual(len(tracks), report["ranks"])

    def test_either_file_alone(self):
        for flag, path in (("--trace=", self.trace), ("--timeline=", self.timeline)):
            status, _, errors = run(*simulated("cont_greedy", "--ranks=20"), flag + path)
            self.assertEqual((status, errors, [str(file) for file in self.folder.iterdir()]), (0, "", [path]))
            os.remove(path)


class FilesTest(TraceTest):
    def test_runs_over_mpi_and_not(self):
        """A task that goes to another folder leaves the file where the run began; each run has its own."""
        for command in of_runs():
            folders = folder_of(self), folder_of(self)
            subprocess.run([os.path.abspath(command[0]), *command[1:], "--trace=t", "--timeline=l", folders[1]],
                           cwd=folders[0], check=True, stdin=subprocess.DEVNULL)
            for folder in folders:
                self.assertEqual(sorted(os.listdir(folder)), ["l", "t"])
                self.assertEqual(list(trace_file.load(folder / "t")), [0, 1])

    def test_a_pipe_over_mpi_and_not(self):
        """The reader of a pipe gets all of it, and then its end, while the program goes on."""
        os.mkfifo(self.trace)
        for command in of_runs():
            command = [*command, "--trace=" + self.trace, os.curdir]
            with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
                for turn in range(2):
                    with open(self.trace) as pipe:
                        self.assertIn("traceEvents", json.load(pipe))
                    if turn == 0:
                        process.stdin.write(b"\n")
                        process.stdin.flush()
                self.assertEqual(process.wait(), 0)


class RefusalTest(TraceTest):
    def test_refusals(self):
        check_refusals(self, [(["bench/cont_greedy_sim", "fib", *flags], words) for flags, words in [
            (["--trace=/no/such/folder/x"], ["--trace=/no/such/folder/x", "No such file"]),
            (["--timeline=/"], ["--timeline=/", "directory"]),
            (["--trace_events=0"], ["--trace_events", "0", "1 to"]),
            (["--timeline_bins=1"], ["--timeline_bins", "1", "2 to"]),
            (["--trace="], ["--trace", "no value"]),
            (["--trace=" + self.trace, "--timeline=" + self.trace], ["--timeline=%s: is the file of --trace" % self.trace]),
            (["--explore", "--seeds=1..2", "--timeline=" + self.trace], ["--seeds", "--timeline"]),
        ]])

    def test_a_refused_run_keeps_the_old_trace(self):
        trace = self.folder / "trace.json"
        trace.write_text("old")
        status, _, _ = run("bash", "-c", 'ulimit -f 1; "$@"', "bash", "bench/cont_greedy", *FIB,
                           "--trace=" + self.trace, "--timeline=" + self.timeline)
        self.assertEqual((status, trace.read_text(), list(self.folder.iterdir())), (2, "old", [trace]))

    def test_a_pipe_for_both(self):
        os.mkfifo(self.trace)
        with subprocess.Popen(["bench/cont_greedy", *FIB, "--trace=" + self.trace, "--timeline=" + self.trace],
                              stderr=subprocess.PIPE, text=True) as process:
            with open(self.trace) as pipe:
                self.assertEqual(pipe.read(), "")
            self.assertIn("the file of --trace", process.stderr.read())
            self.assertEqual(process.wait(), 2)

    def test_a_full_disk(self):
        check_refusals(self, [(["bench/cont_greedy_sim", *FIB, "--trace=/dev/full"],
                               ["--trace=/dev/full: No space left on device"])], status=1)


class DrawingTest(TraceTest):
    def test_drawings(self):
        self.traced(simulated("cont_greedy", "--ranks=4"))
        for path, kind, begin in (self.trace, ".svg", b"<?xml"), (self.timeline, ".png", b"\x89PNG"):
            plot.main(["--out=" + path + kind, path])
            self.assertEqual(pathlib.Path(path + kind).read_bytes()[:len(begin)], begin)

    def test_refusals(self):
        check_refusals(self, [
            (["x"], ["either --out=FILE or --table"]), (["--table", "--out=x.svg", "x"], ["either --out=FILE or --table"]),
            (["--out=x.txt", "x"], ["--out=x.txt does not end with"]), (["--table", "no/such"], ["No such file", "no/such"]),
            (["--table", __file__], ["is no trace that is whole"]), (["--out=x.svg", __file__], ["is no trace or timeline"]),
        ], functools.partial(run_main, plot.main))
