"""Tests what the report of made-up runs says: its words, its dates, and what it lacks."""

import datetime
import glob
import html
import os
import re
import unittest
from unittest import mock

import claims
import figures
import flags
import made_up
import menu
import page
import plots
import runs
import testing


class ReportTest(testing.DemoCase):

    def report(self, *given, report=made_up.report, status=0):
        """The page of a demo."""
        ended, lines, errors = self.demo("--repeat=1", *given, report=report)
        self.assertEqual(ended, status, errors)
        self.printed = lines
        with open(os.path.join(self.folder, "report.html")) as file:
            return file.read()

    def test_tables_of_several_numbers_of_ranks_are_told_apart(self):
        text = self.report("--ranks=2,4", "--programs=bpc", "--runtimes=pool_glb")
        ids = re.findall(r'id="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(re.findall("<h2>(.*?)</h2>", text), [
            "The runtimes, and what the tables say", "BPC, 2 ranks", "BPC, 4 ranks", "One event at a time"])
        text = self.report("--programs=uts", "--runtimes=cont_greedy")
        self.assertEqual(re.findall("<h2>(.*?)</h2>", text)[0], "What the papers claim, and what this run saw")
        self.assertIn("confirmed, hpdc15, jip16: Stacks of uni-address", "\n".join(self.printed))

    def test_each_claim_has_a_picture_of_the_numbers_that_it_compares(self):
        text = self.report("--programs=uts", "--runtimes=cont_greedy")
        pictures = re.findall('Figure</a></p><figure>(<svg .*?)</figure></div>', text, re.S)
        self.assertEqual(len(pictures), 2)
        self.assertIn('aria-label="Suspend and resume, % of a steal: fx10 7.00, tsubame25 7.00, a tenth 10.0."',
                      pictures[1])
        self.assertEqual([each for each in re.findall("<text[^>]*>(.*?)</text>", pictures[1])
                          if not each.isdigit()], ["suspend and resume, % of a steal", "fx10", "tsubame25", "a tenth",
                                                   "7.00", "7.00", "10.0"])

    def test_runtimes_and_legend_come_before_the_first_table(self):
        names = [each.name for each in menu.MENU + menu.VARIANTS]
        text = self.report("--programs=uts", "--runtimes=" + ",".join(names))
        before, _, after = text.partition("<table>")
        for name in names:
            with self.subTest(name=name):
                self.assertRegex(before, '<dt>%s</dt><dd>.*<a href="[./]+/[^"]+/README.md">.+</a>' % name)
                self.assertRegex("\n".join(self.printed).partition("UTS T1 on")[0], r"(?m)^%s +\w" % name)
        self.assertIn("All: the time on all ranks.", before)
        self.assertNotIn("All: the time on all ranks.", after)

    def test_events_are_linked(self):
        def failed(command):
            broken = "--runtime=pool_glb" in command
            return {"failed": "no such event"} if broken else made_up.report(command)

        text = self.report("--programs=uts", "--runtimes=pool_sws,pool_glb", report=failed, status=1)
        self.assertIn('<dt>pool_sws</dt><dd><a href="events/steal_pool_sws.html">Steal &lt;pool_sws&gt;</a></dd>', text)
        self.assertNotIn("steal_pool_glb.html", text)
        self.assertIn("no such event", text)

    def test_what_failed_and_what_is_left_out_stand_on_the_page(self):
        def failed(command):
            broken = "pool_sws_sim" in command[0] and "--ranks=576" in command and "--victim_seed=2" in command
            return {"failed": "exit status 3: no memory"} if broken else made_up.report(command)

        text = self.report("--programs=uts,lcs", "--runtimes=pool_sws", report=failed, status=1)
        words = 'The figure "Throughput of UTS T1 by the number of ranks" is left out: of its 10 runs 9 are there.'
        self.assertIn(html.escape(words), text)
        self.assertIn(words, self.printed)
        self.assertIn("exit status 3: no memory</pre>", text)
        self.assertIn("LCS 32768 is left out", text)
        self.assertIn("Speed-up of pools", text)
        self.assertNotIn("left-out", self.report("--programs=uts", "--runtimes=pool_sws"))

    def test_a_resumed_demo_needs_no_timeline(self):
        flags_given = ("--programs=recpfor", "--runtimes=cont_greedy")
        before = self.report(*flags_given)
        made = glob.glob(self.folder + "/timeline_*.csv")
        self.assertEqual(len(made), 1)
        os.remove(made[0])
        after = self.report(*flags_given, "--resume")
        self.assertEqual(self.commands, [["bench/explain", "--all", "--runtime=cont_greedy",
                                          "--html=%s/events" % self.folder]])
        self.assertEqual(before.replace("--runtimes=cont_greedy", ""),
                         after.replace("--runtimes=cont_greedy --resume", ""))

    def test_dates_of_the_runs(self):
        with mock.patch("runs.datetime.date") as date:
            date.today().isoformat.return_value = "2001-02-03"
            self.assertIn(", 2001-02-03. Simulated", self.report("--programs=bpc", "--runtimes=pool_glb"))
        today = datetime.date.today().isoformat()
        self.assertIn(", 2001-02-03 to %s. Simulated" % today,
                      self.report("--programs=bpc,tsp", "--runtimes=pool_glb", "--resume"))
        self.assertRegex(page.machine(), r", %d cores? used, " % flags.cores())

    def test_the_page_says_what_lines_and_rows_are(self):
        self.demo("--repeat=6", "--programs=bpc", "--runtimes=pool_glb_hybrid")
        with open(os.path.join(self.folder, "report.html")) as file:
            text = file.read()
        self.assertIn("Black lines: between the speed-ups of the times from and to. Grey line: as fast as pool_serial on "
                      "one rank.", text)
        self.assertIn('<p class="pale">A row of a pool with places of several workers (pool_glb_hybrid) has one '
                      "process more than its table says", text)
        self.assertNotIn("Black lines", self.report("--programs=bpc", "--runtimes=pool_glb"))


class WordsTest(testing.DemoCase):
    """Words below figures are borne out by the reports."""

    def figures(self, *runtimes):
        return figures.figures(flags.parse(["--out=" + self.folder, *runtimes]))

    def reports(self, figure, change):
        return {label: [change(command, runs.completed(command, made_up.report(command))) for command in commands]
                for label, commands in figure.series.items()}

    def says(self, name, change=lambda command, report: report):
        figure = next(each for each in self.figures() if each.name == name)
        return figure.says(self.reports(figure, change))

    def test_claims(self):
        def held(change, *runtimes):
            return [claim.holds for figure in self.figures(*runtimes)
                    for claim in claims.of_figure(figure.name, self.reports(figure, change))]

        def against(command, report):
            """Child stealing, stalling joins and places of one worker are better, SWS and resuming slow, stacks larger."""
            if "volume" in command[0]:
                return {"result": {"steals": [dict(each, sws_ns=99) for each in report["result"]["steals"]]}}
            if "phases" in report:
                return dict(report, phases={"lock": 80, "suspend": 10, "resume": 10})
            name, many = report["runtime"], report["ranks"] > 500
            metrics = dict(report["metrics"], region_bytes_max=8192 if many else 4096,
                           outstanding_join_time_ns=1000 if name == "cont_stalling" else 1500)
            return dict(report, seconds=report["seconds"] / (1 + (name in ("child_full", "pool_glb"))), metrics=metrics)

        def instead(command, report):
            name = report.get("runtime")
            return report if name not in ("child_full", "cont_stalling") else dict(
                report, seconds=2 * report["seconds"], metrics=dict(report["metrics"], outstanding_join_time_ns=3000))

        self.assertEqual(held(against), [False] * 6)
        self.assertEqual(held(instead), [True] * 6)
        self.assertEqual(held(instead, "--runtimes=cont_greedy,pool_sws,pool_glb"), [True] * 3)
        self.assertEqual(held(instead, "--runtimes=cont_greedy,child_full"), [True] * 3)

    def test_a_slow_sws_is_told_as_one(self):
        def slow(_, report):
            return {"result": {"steals": [dict(each, sws_ns=99) for each in report["result"]["steals"]]}}

        self.assertIn("two processes of this machine: 0.89 for 1 task of 24 bytes, 0.89 for 2 tasks of 192 bytes",
                      self.says("volume"))
        self.assertIn("two processes of this machine: 1.10 for 1 task of 24 bytes", self.says("volume", slow))

    def test_throughput(self):
        def slower(command, report):
            factor = 2 if "child_rtc" in command[0] else 1
            return dict(report, seconds=report["seconds"] * factor)

        self.assertIn("It takes 1.7 ms on 576 ranks, which are 4.00 times as fast as 144.", self.says("throughput"))
        self.assertIn("It takes from 1.7 ms (cont_greedy) to 3.5 ms (child_rtc) on 576 ranks", self.says(
            "throughput", slower))

    def test_efficiency_places_and_bars(self):
        self.assertIn("Efficiency at N = 512: 1.00; at N = 4096: 1.00", self.says("efficiency"))
        self.assertIn("has a core of its own here (node_size=13)", self.says("places"))
        self.assertIn("Speed-up of 144 workers: from 144 (pool_sws) to 156 (pool_glb_hybrid)", self.says("places"))
        for name in ("efficiency", "throughput", "places"):
            self.assertIn("Points are medians of 3 simulated runs with other choices of victims, bars their range.",
                          self.says(name))


class AxisTest(unittest.TestCase):

    def test_a_logarithmic_axis_has_numbers(self):
        pyplot = plots.import_pyplot()
        for values in ((180, 2900), (0.04, 3), (3, 60)):
            figure, axes = pyplot.subplots()
            axes.plot((1, 2), values)
            plots.decades(axes.set_yscale, axes.yaxis)
            figure.canvas.draw()
            low, high = axes.get_ylim()
            labels = [tick.label1.get_text() for tick in axes.yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
            self.assertGreaterEqual(len(set(labels)), 3)
            self.assertEqual(len(set(labels)), len(labels))
            self.assertTrue(all(re.fullmatch(r"[\d.]+", label) for label in labels), labels)
            pyplot.close(figure)
