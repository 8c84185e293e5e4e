"""Tests the log of a simulation: records of all that ranks do to each other, and to their own words."""

import json
import subprocess
import tempfile
import unittest

RUN = ["bench/cont_greedy_sim", "uts", "-t", "geometric", "-a", "fixed", "-d", "6", "-b", "4", "-r", "19", "--ranks=6",
       "--net=ito_a,node_size=2"]
# The operations of one steal from a THE queue, in their order (hpdc15 Table 3).
STEAL = ["get", "fetch_add", "put", "get", "get", "get", "swap"]


def run(*flags):
    return subprocess.run([*RUN, *flags], capture_output=True, text=True, timeout=120, check=True).stderr


class LogTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("r") as file:
            run("--log=" + file.name)
            cls.records = [json.loads(line) for line in file]

    def of(self, kind):
        return [each for each in self.records if each["record"] == kind]

    def test_operations(self):
        """Each is issued and takes effect, with what the word had and has."""
        issues, effects = self.of("issue"), self.of("effect")
        self.assertGreater(len(issues), 500)
        self.assertEqual(len(effects), len(issues))
        [lock] = [each["offset"] for each in self.of("name") if each["name"] == "queue lock"]
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

    def test_words(self):
        """What a rank loads is what was stored there last, by itself: of words that nobody else changes."""
        [top] = [each["offset"] for each in self.of("name") if each["name"] == "top"]
        value, loads = {}, 0
        for each in self.records:
            if each["record"] in ("load", "store") and each["memory"] == "heap" and each["offset"] == top:
                self.assertEqual(each["before"], value.get(each["rank"], [0]))
                value[each["rank"]] = each["after"]
                if each["record"] == "load":
                    self.assertEqual(each["before"], each["after"])
                    loads += 1
        self.assertGreater(loads, 100)

    def test_events(self):
        steals = [each for each in self.of("event") if each["name"] == "steal"]
        self.assertGreater(len(steals), 10)
        for steal in steals:
            kinds = [each["op"] for each in self.of("issue")
                     if each["rank"] == steal["rank"] and steal["time"] <= each["time"] <= steal["end"]]
            self.assertEqual(kinds, STEAL)
        self.assertIn("failed steal", {each["name"] for each in self.of("event")})
