#!/usr/bin/env python3
"""Tests the log of a simulation, and its filters."""

import json
import re
import subprocess
import tempfile
import unittest

RUN = ["bench/cont_greedy_sim", "uts", "-t", "geometric", "-a", "fixed", "-d", "6", "-b", "4", "-r", "19", "--ranks=6",
       "--net=ito_a,node_size=2"]
LINE = re.compile(r" *([0-9.]+) us  rank (\d+): (.*)")
# The operations of one steal from a THE queue, in their order (hpdc15 Table 3).
STEAL = ["get", "fetch_add", "put", "get", "get", "get", "swap"]


def log(*flags):
    """Returns the lines (microseconds, rank, what) without other output; and the whole text."""
    done = subprocess.run([*RUN, *flags], capture_output=True, text=True, timeout=120, check=True)
    found = (LINE.fullmatch(line) for line in done.stderr.splitlines())
    return [(float(m[1]), int(m[2]), m[3]) for m in found if m], done.stderr


def touches(what, begin, end):
    """Tells whether an operation, or an access of a rank to its own words, touches [begin, end) of a heap."""
    place = re.search(r"(?:of (\d+) bytes at|its) heap\+(0x[0-9a-f]+|0)", what)
    if place is None:
        return False
    first = int(place[2], 16)
    return first < end and begin < first + int(place[1] or 8)


class LogTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all, _ = log("--log")

    def test_by_rank(self):
        lines, _ = log("--log", "--log_ranks=3")
        mine = [line for line in self.all if line[1] == 3 or line[2].endswith("of rank 3")
                or " of rank 3:" in line[2] or "of rank 3 " in line[2] or line[2] == "wake of rank 3"]
        self.assertEqual(lines, mine)
        self.assertLess(0, len(lines))
        self.assertLess(len(lines), len(self.all))
        self.assertEqual(log("--log", "--log_ranks=0..2,3..5")[0], self.all)

    def test_by_operation(self):
        swaps = [line for line in self.all if "swap of" in line[2]]
        self.assertEqual(log("--log", "--log_ops=swap")[0], swaps)
        loads = [line for line in self.all if line[2].startswith("loads ")]
        self.assertEqual(log("--log", "--log_ops=load")[0], loads)
        self.assertGreater(min(len(swaps), len(loads)), 0)
        kinds = ["get", "put", "fetch_add", "fetch_or", "swap", "compare_swap", "load", "store", "other"]
        self.assertEqual(sum(len(log("--log", "--log_ops=" + kind)[0]) for kind in kinds), len(self.all))

    def test_by_word(self):
        for text, begin, end in (("heap+0x80", 0x80, 0x88), ("heap+0xc0..0xcf", 0xc0, 0xd0)):
            lines, _ = log("--log", "--log_words=" + text)
            self.assertEqual(lines, [line for line in self.all if touches(line[2], begin, end)])
            self.assertGreater(len(lines), 0)

    def test_by_event(self):
        for number in (1, 3):
            lines, text = log("--log=steal:%d" % number)
            ended = re.search(r"rank (\d+): ends steal %d, which began at ([0-9.]+) us" % number, text)
            rank, begin = int(ended[1]), float(ended[2])
            [end] = [line[0] for line in lines if line[2].startswith("ends ")]
            self.assertEqual([line for line in lines if not line[2].startswith("ends ")],
                             [line for line in self.all if begin <= line[0] <= end])
            own, _ = log("--log=steal:%d" % number, "--log_ops=get,put,fetch_add,swap")
            kinds = [line[2].split()[1] for line in own if line[1] == rank and line[2].startswith("issues ")]
            self.assertEqual(kinds, STEAL)

    def test_events_of_some_ranks(self):
        _, text = log("--log=failed_steal:2", "--log_ranks=4")
        self.assertRegex(text, r"rank 4: ends failed_steal 2, which began at")

    def test_an_event_that_does_not_come(self):
        lines, text = log("--log=steal:1000000")
        self.assertEqual(lines, [])
        self.assertRegex(text, r"magpie: --log=steal:1000000: the run had \d+ such events that have ended\n")

    def test_the_run_is_the_same(self):
        def told(*flags):
            return re.search("magpie: sim: .*(virtual_seconds=.* hash=[0-9a-f]+)", log("--sim_stats", *flags)[1])[1]
        self.assertEqual(told(), told("--log=steal:3", "--log_ranks=1"))
        self.assertEqual(told(), told("--log=/dev/null", "--log_format=json"))

    def records(self, *flags):
        with tempfile.NamedTemporaryFile("r") as file:
            log("--log=" + file.name, "--log_format=json", *flags)
            return [json.loads(line) for line in file]

    def test_records(self):
        """They tell the same operations as the lines do, each with what the word had and has."""
        records = self.records()
        lines = [line for line in self.all if line[2].startswith("issues ")]
        issues = [each for each in records if each["record"] == "issue"]
        self.assertEqual([(each["time"] / 1e6, each["rank"], "issues %s of %d bytes" % (each["op"], each["bytes"]))
                          for each in issues if each["memory"] != "wakes"],
                         [(*line[:2], line[2].split(" at ")[0]) for line in lines if " at " in line[2]])
        effects = [each for each in records if each["record"] == "effect"]
        self.assertEqual(len(effects), len(issues))
        [lock] = [each["offset"] for each in records if each["record"] == "name" and each["name"] == "queue lock"]
        value = {}
        for each in effects:
            self.assertLessEqual(each["time"], each["known"])
            if each["offset"] != lock or each["memory"] != "heap":
                continue
            # An atomic's target, changed by nothing else.
            self.assertEqual(each["before"], [value.get(each["target"], 0)])
            [value[each["target"]]] = each["after"]
            if each["op"] == "fetch_add":
                self.assertEqual(each["after"][0], each["before"][0] + each["operand"])
        self.assertGreater(len(value), 1)
        self.assertNotIn("0x0", {each["caller"] for each in issues})

    def test_records_of_an_event(self):
        done = subprocess.run([*RUN, "--log=steal:3", "--log_format=json", "--log_ops=get,put,fetch_add,swap"],
                              capture_output=True, text=True, timeout=120, check=True)
        records = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        event = records[-1]
        self.assertEqual((event["record"], event["name"]), ("event", "steal"))
        self.assertEqual([each["op"] for each in records if each["record"] == "issue" and each["rank"] == event["rank"]],
                         STEAL)

    def test_what_is_refused(self):
        for flags, words in [
                (["--log=stael:3"], "--log: stael:3: stael is no event of this program; allowed: busy, idle, steal, "),
                (["--log=steal:0"], "--log: steal:0: 0 is not a number from 1 on, as in steal:3"),
                (["--log", "--log_ranks=x"], "--log_ranks: x is neither a rank nor A..B"),
                (["--log", "--log_ops=gett"], "--log_ops: gett is not one of get, put, fetch_add, "),
                (["--log", "--log_words=64"], "--log_words: 64 is not of the form heap+A, heap+A..B, region+A"),
                (["--log_format=json"], "--log_format=json needs --log"),
                (["--log", "--log_format=xml"], "--log_format: xml is not one of text, json"),
                (["--log_ranks=1"], "--log_ranks, --log_ops and --log_words need --log"),
        ]:
            with self.subTest(flags=flags):
                done = subprocess.run([*RUN, *flags], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn("magpie: " + words, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
