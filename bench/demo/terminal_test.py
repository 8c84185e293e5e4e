"""Tests what a terminal shows of the demo: tables beside the progress bar, on wide and on narrow ones."""

import os
import re

import testing

FLAGS = ["--programs=fib", "--runtimes=cont_greedy", "--no_plots", "--repeat=3"]


class TerminalTest(testing.DemoCase):

    def in_file(self, *given):
        """The lines of a demo with its output in a file, and the text that the terminal was sent meanwhile."""
        path = os.path.join(self.folder, "tables.txt")
        with open(path, "w") as file:
            status, text = testing.on_terminal(["--out=" + self.folder] + FLAGS + list(given), output=file)
        self.assertEqual(status, 0, text)
        with open(path) as file:
            return [line.rstrip() for line in file], text

    def on_screen(self, columns, term="xterm", *given):
        status, text = testing.on_terminal(["--out=" + self.folder] + FLAGS + list(given), columns, term)
        self.assertEqual(status, 0, text)
        return testing.lines_of(text), text

    def test_tables_stand_beside_no_bar(self):
        """All tables and the legend go where the output goes; at 80 columns numbers are whole."""
        wanted, beside = self.in_file()
        self.assertTrue(any(line.startswith("All: the time") for line in wanted))
        self.assertNotIn("All: the time", beside)
        lines, text = self.on_screen(120)
        self.assertEqual([line for line in lines if line in wanted and line], [line for line in wanted if line])
        for each in beside, text:
            self.assertIn("turn 3 of 3", each)
        self.assertLessEqual(self.rows(wanted).items(), self.rows(self.on_screen(80)[0]).items())

    def test_a_bar_has_one_line_and_counts(self):
        _, text = self.on_screen(80, "xterm", "--repeat=400")
        self.assertRegex(text, r"fib.*1200/1200")
        bars = re.findall(r"\r\x1b\[2K([^\r\n]*)", text)
        self.assertLessEqual(max(len(line) for bar in bars for line in testing.lines_of(bar)), 80)

    def test_a_dumb_one_is_told_what_runs(self):
        lines, text = self.on_screen(80, "dumb")
        self.assertIn("running fib(32), shm ...", lines)
        self.assertNotIn("\x1b", text)
