"""Tests summary.py on made-up build events."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import summary

MIXED = """<testsuites><testsuite name="S">
  <testcase name="good" status="run" classname="S"/>
  <testcase name="bad" status="run" classname="S"><failure message="m"/></testcase>
  <testcase name="left_out" result="skipped" classname="S"><skipped/></testcase>
  <testcase name="disabled" status="notrun" classname="S"/>
</testsuite></testsuites>"""
GOOD = '<testsuites><testsuite><testcase name="a"/><testcase name="b"/></testsuite></testsuites>'


class SummaryTest(unittest.TestCase):

    def setUp(self):
        self._directory = tempfile.TemporaryDirectory()
        self.addCleanup(self._directory.cleanup)
        self.directory = pathlib.Path(self._directory.name)
        self.events = []

    def result(self, label, status, xml=None):
        outputs = []
        if xml is not None:
            path = self.directory / ("%d.xml" % len(self.events))
            path.write_text(xml)
            outputs = [{"name": "test.xml", "uri": path.as_uri()}]
        self.events.append({"id": {"testResult": {"label": label, "run": 1, "shard": 1}},
                            "testResult": {"status": status, "testActionOutput": outputs}})

    def check(self, results, last_line, line_before=None):
        """Adds the results, each the arguments of result(), and expects that the summary ends with these lines."""
        for arguments in results:
            self.result(*arguments)
        (self.directory / "a.json").write_text("".join(json.dumps(e) + "\n" for e in self.events))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = summary.main(self.directory, "./test --thorough //... ")
        self.assertEqual(output.getvalue().splitlines()[-1], last_line)
        left_out = [line for line in output.getvalue().splitlines() if line.startswith("left out")]
        self.assertEqual(left_out, [line_before] if line_before else [])
        self.assertEqual(output.getvalue().splitlines()[-2:-1] if line_before else [], left_out)
        self.assertEqual(status, 0 if last_line.endswith(" 0 failed") else 1)

    def test_counts_cases(self):
        self.check([("//a:a", "PASSED", GOOD)], "2 passed, 0 failed")

    def test_skipped_and_disabled_cases_count_nowhere(self):
        self.check([("//a:a", "FAILED", MIXED)], "1 passed, 1 failed")

    def test_a_crash_counts_though_all_cases_passed(self):
        self.check([("//a:a", "FAILED", GOOD)], "2 passed, 1 failed")

    def test_unreadable_cases_count_as_one(self):
        self.check([("//a:a", "PASSED", "<testsuites>"), ("//a:b", "TIMEOUT", "<testsuites>"),
                    ("//a:c", "PASSED")], "2 passed, 1 failed")

    def test_the_last_attempt_counts(self):
        self.check([("//a:a", "FAILED", MIXED), ("//a:a", "PASSED", GOOD)], "2 passed, 0 failed")

    def test_a_test_that_never_ran_has_failed(self):
        for label, status in (("//a:a", "PASSED"), ("//a:b", "NO_STATUS")):
            self.events.append({"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}})
        self.check([("//a:a", "PASSED", GOOD)], "2 passed, 1 failed")

    def test_bazel_itself_failed(self):
        (self.directory / "default.broken").write_text("broken")
        self.check([("//a:a", "PASSED", GOOD)], "2 passed, 1 failed")

    def test_what_was_left_out_stands_before_the_last_line(self):
        (self.directory / "left_out").write_text("//a/b:c\n//d:e\n//a/b:f\n")
        self.check([("//a:a", "FAILED", MIXED)], "1 passed, 1 failed",
                   "left out: 3 tests (2 of a/b, 1 of d); these too: ./test --thorough //...")

    def test_nothing_was_left_out(self):
        (self.directory / "left_out").write_text("\n")
        self.check([("//a:a", "PASSED", GOOD)], "2 passed, 0 failed")

    def test_nothing_ran(self):
        self.check([], "0 passed, 1 failed")
