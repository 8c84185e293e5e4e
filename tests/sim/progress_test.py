"""Tests that a long simulation tells only a terminal how far it is, on one line that goes before other words."""

import contextlib
import os
import pty
import re
import subprocess
import unittest

from program_checks import over, run

BENCH = "bench/cont_greedy_sim"
RACY = "tests/sim/racy"
ERASE = "\r\x1b[K"
LINE = re.compile(
    re.escape(ERASE) + r"magpie: [0-9.]+ [mun]?s simulated in \d+ s, [0-9.]+ million operations/s, "
    r"(\d+) of (\d+) ranks busy\r(?!\n)")
# Enough turns for several looks at the clock.
LONG = [BENCH, "uts", "-t", "1", "-a", "3", "-d", "9", "-b", "4", "-r", "19", "--ranks=256", "--net=ito_a"]


def on_terminal(command):
    """Returns the output to a terminal as standard error, and the exit status."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        text = bytearray()
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(ours, 4096):
                text += part
    os.close(ours)
    # Where bench says there what it runs.
    return re.sub(r"^running .*\r\n", "", text.decode()), process.returncode


def seen(text):
    return text.split(ERASE)[-1].rstrip("\r")


class ProgressTest(unittest.TestCase):
    def test_is_renewed_and_erased(self):
        text, status = on_terminal(LONG + ["--progress=0"])
        self.assertEqual(status, 0)
        lines = LINE.findall(text)
        self.assertGreater(len(lines), 2)
        for busy, ranks in lines:
            self.assertLessEqual(int(busy), 256)
            self.assertEqual(ranks, "256")
        self.assertIn(True, [int(busy) > 128 for busy, _ in lines])
        self.assertEqual(LINE.sub("", text), ERASE, "nothing else, and at last it is erased")

    def test_changes_nothing(self):
        def hashed(text):
            return re.search(r"switches=\d+ hash=\w+", text)[0]

        shown, _ = on_terminal(LONG + ["--progress=0", "--sim_stats"])
        hidden, _ = on_terminal(LONG + ["--progress=1000000", "--sim_stats"])
        self.assertEqual(hashed(shown), hashed(hidden))
        self.assertRegex(shown, LINE)
        self.assertNotIn("\x1b", hidden)
        # Output after it begins on a line of its own.
        self.assertRegex(shown, re.escape(ERASE) + "magpie: sim: ranks=256 ")

    def test_is_for_terminals(self):
        status, output, errors = run(*LONG, "--progress=0")
        self.assertEqual((status, errors), (0, ""))
        self.assertNotIn("ranks busy", output)

    def test_is_not_for_short_ones(self):
        text, status = on_terminal([BENCH, "fib", "--n=12", "--ranks=8", "--progress=0"])
        self.assertEqual((text, status), ("", 0))

    def test_leaves_a_log_alone(self):
        text, _ = on_terminal([RACY, "--ranks=2", "--looks=33000", "--progress=0", "--log"])
        self.assertGreater(text.count("\n"), 2 * 65536)
        self.assertNotIn("\x1b", text)

    @over("how, words", (
        ("fatal", "magpie: rank 0: an addition is lost"),
        ("segv", "magpie: rank 0: Segmentation fault"),
        ("exit", "magpie: rank 0: called exit"),
        ("livelock", "magpie: livelock: "),
    ))
    def test_goes_before_words_of_failures(self, how, words):
        text, status = on_terminal([RACY, "--ranks=2", "--progress=0", "--apart=0", "--looks=100000", "--how=" + how])
        self.assertNotEqual(status, 0)
        line = text.split("\n")[0]
        self.assertRegex(line, LINE)
        self.assertIn(words, seen(line))
        self.assertNotIn("ranks busy", seen(line))

    def test_counts_seeds(self):
        text, status = on_terminal([RACY, "--explore", "--seeds=1..20", "--jobs=1", "--progress=0"])
        self.assertRegex(text, re.escape(ERASE) + r"magpie: 1 of 20 seeds, in \d+ s\r")
        self.assertNotEqual(status, 0)
        self.assertNotIn("of 20 seeds", seen(text.split("\n")[0]))
