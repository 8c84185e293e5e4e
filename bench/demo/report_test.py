"""Tests what the report of made-up runs says: its words, its dates, and what it lacks."""

import datetime
import html
import os
import re
from unittest import mock

import claims
import flags
import menu
import page
import runs
import simulations
import testing
from figures import model


class ReportTest(testing.DemoCase):

    def report(self, *given, report=testing.made_up_report, status=0):
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
        self.assertNotRegex(text, "Black lines|process more|left-out")
        self.assertIn(", %s. Simulated" % datetime.date.today(), text)
        self.assertRegex(page.machine(), r", %d cores? used, " % flags.cores())

    def test_each_claim_comes_first_with_a_picture_of_the_numbers_that_it_compares(self):
        text = self.report("--programs=uts", "--runtimes=cont_greedy")
        self.assertEqual(re.findall("<h2>(.*?)</h2>", text)[0], "What the papers claim, and what this run saw")
        self.assertIn("confirmed, hpdc15, jip16: Stacks of uni-address", "\n".join(self.printed))
        pictures = re.findall('Figure</a></p><figure>(<svg .*?)</figure></div>', text, re.S)
        self.assertEqual(len(pictures), 2)
        self.assertIn('aria-label="Suspend and resume, % of a steal: fx10 7.00, tsubame25 7.00, a tenth 10.0."',
                      pictures[1])
        self.assertEqual([each for each in re.findall("<text[^>]*>(.*?)</text>", pictures[1])
                          if not each.isdigit()], ["suspend and resume, % of a steal", "fx10", "tsubame25", "a tenth",
                                                   "7.00", "7.00", "10.0"])

    def test_runtimes_and_legend_come_before_the_first_table(self):
        names = [each.name for each in menu.MENU + menu.VARIANTS]
        with mock.patch.object(simulations, "figures", return_value=[]):
            text = self.report("--programs=uts", "--runtimes=" + ",".join(names))
        before, _, after = text.partition("<table>")
        for name in names:
            with self.subTest(name=name):
                self.assertRegex(before, '<dt>%s</dt><dd>.*<a href="[./]+/[^"]+/README.md">.+</a>' % name)
                self.assertRegex("\n".join(self.printed).partition("UTS T1 on")[0], r"(?m)^%s +\w" % name)
        self.assertIn("All: the time on all ranks.", before)
        self.assertNotIn("All: the time on all ranks.", after)

    def test_what_failed_and_what_is_left_out_stand_on_the_page(self):
        def failed(command):
            wanted = {"pool_sws_sim", "--ranks=576", "--victim_seed=2"}, {"explain", "--runtime=pool_glb"}
            broken = any(each <= {os.path.basename(command[0]), *command} for each in wanted)
            return {"failed": "exit status 3: no memory"} if broken else testing.made_up_report(command)

        text = self.report("--programs=uts,lcs", "--runtimes=pool_sws,pool_glb", report=failed, status=1)
        words = 'The figure "Throughput of UTS T1 by the number of ranks" is left out: of its 10 runs 9 are there.'
        self.assertIn(html.escape(words), text)
        self.assertIn(words, self.printed)
        self.assertEqual(text.count("exit status 3: no memory</pre>"), 2)
        self.assertIn("LCS 32768 is left out", text)
        self.assertIn("Speed-up of pools", text)
        self.assertIn('<dt>pool_sws</dt><dd><a href="events/steal_pool_sws.html">Steal &lt;pool_sws&gt;</a></dd>', text)
        self.assertNotIn("steal_pool_glb.html", text)

    def test_the_page_says_what_lines_and_rows_are(self):
        text = self.report("--repeat=6", "--programs=bpc", "--runtimes=pool_glb_hybrid")
        self.assertIn("Black lines: between the speed-ups of the times from and to. Grey line: as fast as pool_serial on "
                      "one rank.", text)
        self.assertIn('<p class="pale">A row of a pool with places', text)


class ClaimsTest(testing.DemoCase):

    def held(self, change, *runtimes):
        """Whether each claim holds, of made-up reports as change(command, report) makes them."""
        found = []
        for figure in simulations.figures(flags.parse(["--out=" + self.folder, *runtimes])):
            commands = [run.command() for run in figure.runs()]
            records = {run.key(): change(command, runs.completed(command, testing.made_up_report(command)))
                       for run, command in zip(figure.runs(), commands)}
            found += [claim.holds for claim in claims.of_figure(
                figure.name, model.results_of(figure.rows(""), records))]
        return found

    def test_claims(self):
        def against(command, report):
            """Child stealing, stalling joins and places of one worker are better, SWS and resuming slow, stacks larger."""
            if "volume" in command[0]:
                return {"result": {"steals": [dict(each, sws_ns=99) for each in report["result"]["steals"]]}}
            if "phases" in report:
                return dict(report, phases=dict(report["phases"], steal=80, suspend=10, resume=10))
            name, many = report["runtime"], report["ranks"] > 500
            metrics = dict(report["metrics"], region_bytes_max=8192 if many else 4096,
                           outstanding_join_time_ns=1000 if name == "cont_stalling" else 1500)
            return dict(report, seconds=report["seconds"] / (1 + (name in ("child_full", "pool_glb"))), metrics=metrics)

        def instead(command, report):
            name = report.get("runtime")
            return report if name not in ("child_full", "cont_stalling") else dict(
                report, seconds=2 * report["seconds"], metrics=dict(report["metrics"], outstanding_join_time_ns=3000))

        self.assertEqual(self.held(against), [False] * 6)
        self.assertEqual(self.held(instead), [True] * 6)
        self.assertEqual(self.held(instead, "--runtimes=cont_greedy,pool_sws,pool_glb"), [True] * 2)
        self.assertEqual(self.held(instead, "--runtimes=cont_greedy,child_full"), [True] * 3)
