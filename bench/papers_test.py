"""papers.py: its list, its refusals, ratios, recording and resuming, the page, and a small figure run end to end."""

import functools
import json
import re
import unittest
from unittest import mock

import papers
from figures import catalogue, draw, model, page, store
from figures.model import Figure, Panel, Row, Run
from program_checks import check_refusals, folder_of, report_of, run_main

BENCH = store.BENCH
# Each paper's figures, tables and listings.
NUMBERS = {"cluster22": (12, 3, 0), "icpp21": (8, 2, 0), "hpdc15": (11, 4, 0), "jip16": (16, 4, 0),
           "hybrid_glb_apgas18": (3, 0, 5)}


def printed(*arguments):
    status, output, errors = run_main(papers.main, *arguments)
    assert status == 0, errors
    return output


def seconds(record):
    return record["seconds"]


def run_of(seed):
    return Run("cont_greedy_sim", "fib --n=9 --victim_seed=%d" % seed, "ito_a", 4)


def row(published, series="ours", x=4, seeds=(1, 2, 3)):
    return Row("panel", series, x, tuple((run_of(seed),) for seed in seeds), seconds, published)


def records(*values):
    return {run_of(seed).key(): {"seconds": value, "command": run_of(seed).words()}
            for seed, value in enumerate(values, 1)}


def figure(*rows, name="made.1"):
    return Figure(name, "Fig. 1", "Made up.", "nowhere", {"panel": Panel("ranks", "seconds")}, lambda size: list(rows),
                  says="It agrees.", why="It does not.")


class Interrupted(Exception):
    pass


class ListTest(unittest.TestCase):
    def test_all_tables_and_figures(self):
        names = [entry.name for entry in catalogue.every()]
        self.assertEqual(len(names), len(set(names)))
        expected = {"%s.%s%d" % (paper, letter, number) for paper, counts in NUMBERS.items()
                    for letter, count in zip(("", "T", "L"), counts) for number in range(1, count + 1)}
        self.assertEqual(set(names), expected)
        listed = printed("--list")
        for name in names:
            self.assertIn("  %s " % name, listed)

    def test_what_is_measured_has_rows_of_all_sizes(self):
        for entry in catalogue.measured():
            with self.subTest(figure=entry.name):
                for size in ("page", "small", "full"):
                    self.assertTrue(entry.rows(size))
                self.assertTrue(entry.says.endswith("."))

    def test_files_that_captions_name_exist(self):
        for entry in catalogue.every():
            for path in re.findall(r"`((?:bench|impl|common)/[\w/.]+)`", entry.caption):
                self.assertTrue((BENCH.parent / path).exists() or "runfiles" in str(BENCH), path)

    def test_refusals(self):
        check_refusals(self, [
            ([], ["--list", "--figure"]),
            (["--figure=cluster22.99"], ["--figure=cluster22.99", "cluster22.6"]),
            (["--figure=cluster22.1"], ["--figure=cluster22.1", "illustration"]),
            (["--figure=cluster22.6,icpp21.8", "--out=a.svg"], ["--out=a.svg", "2 are named"]),
            (["--figure=cluster22.6", "--out=a.txt"], ["--out=a.txt", ".svg"]),
            (["--figure=cluster22.T2", "--out=a.svg"], ["--out=a.svg", "cluster22.T2 is one"]),
            (["--figure=cluster22.6", "--small", "--full"], ["--small", "--full"]),
            (["--page", "--run"], ["--page", "--run"]),
            (["--figure=cluster22.6", "--smal"], ["--smal"]),
        ], functools.partial(run_main, papers.main))


class ResultsTest(unittest.TestCase):
    def test_missing_runs(self):
        rows = [row(2.0), row(2.0, seeds=(4,))]
        self.assertEqual(model.missing(rows, records(1.0)), rows[1:])
        text = page.figure_text(figure(*rows), "page", records(1.0), None)
        self.assertIn("Not recorded yet are 1 of 2 numbers: `bench/papers.py --figure=made.1 --run`.", text)

    def test_sizes_have_their_own_words_and_flags(self):
        made = figure(row(2.0), row(2.0, seeds=(4,)))
        made.smaller = "depth 26."
        texts = {size: page.figure_text(made, size, records(1.0), None) for size in ("page", "small", "full")}
        for size, flags in (("page", ""), ("small", " --small"), ("full", " --full")):
            self.assertIn("`bench/papers.py --figure=made.1 --run%s`." % flags, texts[size])
            self.assertEqual("depth 26" in texts[size], size == "page")
            self.assertEqual("It agrees." in texts[size], size == "page")

    def test_commands_are_found_however_they_are_written(self):
        key = run_of(1).key()
        for command in ("elsewhere/cont_greedy_sim fib --ranks=4 --net=ito_a --n=9", run_of(1).words()):
            self.assertEqual(model.key_of(command.split()), key)
        for other in ("cont_greedy_sim fib --ranks=4 --net=ito_a --n=8", "serial_sim fib --ranks=4 --net=ito_a --n=9",
                      "cont_greedy_sim fib --ranks=4 --net=ito_a --n=9 --victim_seed=2"):
            self.assertNotEqual(model.key_of(other.split()), key)
        self.assertNotEqual(model.key_of(run_of(1).command(), "timeline"), key)

    def test_phases_and_real_runs_have_no_json_and_net(self):
        self.assertNotIn("--json", Run("steal_sim", "", "fx10", 2, "phases").command())
        self.assertEqual(Run("serial", "fib --n=3", "", 1).words(), "bazel-bin/bench/serial fib --n=3 --ranks=1 --json")


class RecordingTest(unittest.TestCase):
    def setUp(self):
        self.results = folder_of(self)
        self.made = figure(row(2.0))
        self.performed = []
        for patch in (mock.patch.object(catalogue, "measured", lambda: [self.made]),
                      mock.patch.object(store, "perform", self.perform)):
            patch.start()
            self.addCleanup(patch.stop)

    def perform(self, run, folder):
        if len(self.performed) == 2:
            raise Interrupted
        self.performed.append(run)
        return {"command": run.words(), "seconds": float(len(self.performed))}

    def run_it(self, *more):
        return printed("--all", "--run", "--results=%s" % self.results, "--json", *more)

    def test_an_interrupted_run_goes_on(self):
        with self.assertRaises(Interrupted):
            self.run_it()
        path = self.results / "papers" / "made.1.json"
        self.assertEqual([record["seconds"] for record in json.loads(path.read_text())["runs"]], [1.0, 2.0])
        self.performed.clear()
        [figure] = json.loads(self.run_it())
        self.assertEqual(self.performed, [run_of(3)])
        self.assertEqual(figure["rows"][0]["values"], [1.0, 2.0, 1.0])
        written = json.loads(path.read_text())
        self.assertEqual([record["command"] for record in written["runs"]],
                         [run_of(seed).words() for seed in (1, 2, 3)])
        self.assertTrue(written["command"].startswith("bench/papers.py --all --run"))
        self.assertEqual([file.name for file in path.parent.iterdir()], ["made.1.json"])

    def test_the_full_size_keeps_what_the_page_is_made_of(self):
        self.made.rows = lambda size: [row(2.0, seeds=(1,) if size == "page" else (2,))]
        self.run_it()
        self.run_it("--full")
        runs = json.loads((self.results / "papers" / "made.1.json").read_text())["runs"]
        self.assertEqual([(record["command"], record["seconds"]) for record in runs],
                         [(run_of(1).words(), 1.0), (run_of(2).words(), 2.0)])

    def test_what_others_recorded_is_not_run(self):
        (self.results / "other.json").write_text(json.dumps({"runs": list(records(7.0, 8.0, 9.0).values())}))
        [figure] = json.loads(self.run_it())
        self.assertEqual((self.performed, figure["rows"][0]["values"]), ([], [7.0, 8.0, 9.0]))

    def test_small_ones_are_run_anew_and_record_nothing(self):
        self.made = figure(row(2.0, seeds=(1,)))
        self.run_it("--small")
        self.assertEqual(list(self.results.iterdir()), [])
        (self.results / "other.json").write_text(json.dumps({"runs": list(records(7.0).values())}))
        [small] = json.loads(self.run_it("--small"))
        self.assertEqual((self.performed, small["rows"][0]["values"]), ([run_of(1)] * 2, [2.0]))


class PageTest(unittest.TestCase):
    def test_the_page_is_what_the_results_say(self):
        text = page.page_text(store.load())
        self.assertEqual((BENCH / "PAPERS.md").read_text(), text, "run bench/papers.py --page")
        for entry in catalogue.measured():
            self.assertIn("`%s`" % entry.name, text)

    def test_what_is_far_off_is_explained_by_runs_or_told_as_not_explained(self):
        kept = store.load()
        for entry in catalogue.measured():
            results = entry.results("page", kept)
            if any(result.far and not result.row.given for result in results):
                with self.subTest(figure=entry.name):
                    by_runs = "experiment" in entry.why and model.results_of(entry.experiments(), kept)
                    self.assertTrue(by_runs or "not explained" in entry.why, entry.why)

    def test_a_drawing_is_the_same_each_time(self):
        results = model.results_of([row(2.0), row(None, x=8), row(3.0, series="other")], records(1.0, 3.0, 4.0))
        paths = [folder_of(self) / name for name in ("a.svg", "b.svg")]
        for path in paths:
            draw.save(figure(), results, {}, path)
        drawings = [path.read_text() for path in paths]
        self.assertEqual(*drawings)
        self.assertIn(">other</text>", drawings[0])
        self.assertNotIn("<dc:date>", drawings[0])


class EndToEndTest(unittest.TestCase):
    def test_a_small_figure(self):
        folder = folder_of(self)
        flags = ["--small", "--run", "--json", "--binaries=bench"]
        [figure] = json.loads(printed("--figure=hpdc15.11", "--out=%s/drawing.svg" % folder, *flags))["rows"]
        [command] = figure["commands"]
        self.assertGreater((folder / "drawing.svg").stat().st_size, 1000)
        self.assertIn(" btc --depth=20 --net=fx10 --ranks=480", command)
        seconds = report_of(*command.replace("bazel-bin/", "").split()[:-1])["seconds"]
        self.assertEqual(figure["values"], [(2**21 - 1) / seconds / 1e6])
        self.assertIsNone(figure["published"])
        told = json.loads(printed("--figure=hpdc15.T2", *flags))
        [figure] = told["rows"]
        self.assertEqual((told["summary"]["given"], told["summary"]["compared"]), (1, 0))
        self.assertEqual((figure["published"], figure["input"]), (413, True))
        self.assertEqual(figure["ratio"], figure["values"][0] / 413)

    def test_timelines_and_failures(self):
        record = store.perform(Run("cont_greedy_sim", "fib --n=15", "ito_a", 4, "timeline"), "bench")
        self.assertEqual(record["also"], "timeline")
        self.assertGreater(max(busy for _, busy, _ in record["timeline"]), 1)
        with self.assertRaises(SystemExit) as end:
            store.perform(Run("cont_greedy_sim", "fib --n=91", "ito_a", 4), "bench")
        self.assertIn("exit status 2", str(end.exception.code))
