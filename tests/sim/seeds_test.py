"""Tests that --seeds=A..B finds the first seed that fails, and how to repeat it; its log is the same each time."""

import os
import pathlib
import re
import select
import shlex
import signal
import subprocess
import unittest

from program_checks import folder_of, over, run

# The program, with limits for a simulation that hangs.
RACY = ["tests/sim/racy", "--ranks=3", "--explore", "--seconds_per_seed=20", "--patience=0.001"]
LAST = 40

# The command as Bazel's tests print it, for any folder.
ANYWHERE = [os.path.realpath(RACY[0]), *RACY[1:]]
# The end of a schedule that has lost an addition: its status, the result of wait(), its last words.
ENDS = {
    "fatal": (1, "exit status 1", "magpie: rank 0: an addition is lost (seed %d)"),
    "exit": (7, "exit status 7", "magpie: rank 0: called exit in the middle of the run (seed %d)"),
    "abort": (-6, "signal 6", "magpie: rank 0: Abort"),
    "livelock": (1, "exit status 1", "magpie: livelock: "),
    "segv": (-11, "signal 11", "magpie: rank 0: "),
    "result": (3, "exit status 3", "1 additions\n"),
}


class SeedsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.failing = [seed for seed in range(1, LAST + 1) if run(*RACY, "--seed=%d" % seed)[0] != 0]
        print("seeds that fail: %s of 1..%d" % (cls.failing, LAST))

    def first_to_fail(self, *flags):
        """Returns (the output before the last line, the seed, how it failed, the command)."""
        status, output, errors = run(*RACY, *flags)
        self.assertEqual(status, 1, errors)
        self.assertEqual(output, "")
        match = re.fullmatch(
            r"(.*)\nmagpie: seed (\d+) is the first to fail, with (.*); to repeat it with all events: (.*)\n", errors,
            re.DOTALL)
        self.assertIsNotNone(match, errors)
        return match[1], int(match[2]), match[3], match[4]

    def test_some_fail_and_some_do_not(self):
        self.assertGreater(len(self.failing), 1)
        self.assertLess(len(self.failing), LAST / 2)

    def test_ends_with_its_runner(self):
        """A killed runner leaves no seed behind: all that hold the pipe have ended."""
        ours, theirs = os.pipe()
        command = [RACY[0], "--ranks=3", "--explore", "--how=spin", "--seeds={0}..{0}".format(self.failing[0])]
        with subprocess.Popen(command, pass_fds=[theirs]) as runner:
            os.close(theirs)
            children = pathlib.Path("/proc/{0}/task/{0}/children".format(runner.pid))
            while not children.read_text():
                pass
            runner.kill()
        ready, _, _ = select.select([ours], [], [], 30)
        os.close(ours)
        self.assertTrue(ready, "a seed still runs")

    @over("jobs", (1, 2, 16))
    def test_finds_the_first(self, jobs):
        for first, last in [(1, LAST), (self.failing[0] + 1, LAST), (self.failing[-1], self.failing[-1])]:
            _, seed, _, _ = self.first_to_fail("--seeds=%d..%d" % (first, last), "--jobs=%d" % jobs)
            self.assertEqual(seed, min(s for s in self.failing if s >= first))

    def test_all_went_well(self):
        first, last = self.failing[0] + 1, self.failing[1] - 1
        if first > last:
            first, last = 0, 0
        status, output, errors = run(*RACY, "--seeds=%d..%d" % (first, last))
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(output, "seeds %d to %d: all went well\n" % (first, last))

    def test_a_parent_that_ignores_its_children(self):
        status, output, _ = run(*RACY, "--how=wrong", "--seeds=1..2", timeout=30,
                                preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual((status, output), (0, "seeds 1 to 2: all went well\n"))

    def test_output_that_differs(self):
        """Differing output is no failure, but gives a remark: two seeds, and the first line in which they differ."""
        lowest = self.failing[0] if self.failing[0] > 1 else next(s for s in range(2, LAST) if s not in self.failing)
        status, output, errors = run(*RACY, "--how=wrong", "--seeds=1..%d" % LAST)
        self.assertEqual((status, output), (0, "seeds 1 to %d: all went well\n" % LAST))
        match = re.fullmatch(
            r"magpie: standard output differs between seeds, by a time or by a wrong result:\n"
            r"  (.*)\n    (.*)\n  (.*)\n    (.*)\n", errors)
        self.assertIsNotNone(match, errors)
        for seed, command, line in ((1, match[1], match[2]), (lowest, match[3], match[4])):
            self.assertEqual(shlex.split(command), [*ANYWHERE, "--how=wrong", "--seed=%d" % seed])
            self.assertEqual(run(*shlex.split(command)), (0, "adding\n%s\n" % line, ""))
        self.assertNotEqual(match[2], match[4])

    @over("how, end", ENDS.items())
    def test_every_way_to_fail_and_its_replay(self, how, end):
        status, wait, words = end
        text, seed, wait_says, command = self.first_to_fail("--seeds=1..%d" % LAST, "--how=" + how)
        # The seed's output comes before its last words, for any end.
        self.assertTrue(text.startswith("adding\n"), text)
        self.assertEqual((seed, wait_says), (self.failing[0], wait))
        expected = words % seed if "%d" in words else words
        self.assertIn(expected, text)
        self.assertNotIn("--seeds", command)
        replayed = run(*shlex.split(command), cwd="/")
        self.assertEqual(replayed[0], status)
        self.assertIn(expected, replayed[1] + replayed[2])
        # All events are there: the lost word was fetched twice.
        self.assertEqual(len(re.findall(r'"effect",.*"op":"get",.*"memory":"heap","offset":0,', replayed[2])), 2)

    def test_a_seed_that_does_not_end(self):
        # A rank that spins stops the virtual clock, too.
        seed = self.failing[0]
        status, _, errors = run(*RACY[:3], "--seconds_per_seed=1", "--how=spin", "--seeds=1..%d" % LAST, timeout=30)
        self.assertEqual(status, 1)
        self.assertIn("adding\n\nmagpie: seed %d is the first to fail, with no end in --seconds_per_seed; " % seed, errors)

    def test_the_command_is_the_same_but_for_its_seeds(self):
        for seeds in (["--seeds=1..%d" % LAST], ["--seeds", "1..%d" % LAST]):
            _, seed, _, command = self.first_to_fail(*seeds, "--apart=500", "--how=what it says")
            again = [*ANYWHERE, "--apart=500", "--how=what it says", "--seed=%d" % seed, "--log"]
            self.assertEqual((seed, shlex.split(command)), (self.failing[0], again))

    def test_a_program_that_a_shell_started_is_told_as_it_was(self):
        environment = {name: value for name, value in os.environ.items() if name != "TEST_SRCDIR"}
        _, _, errors = run(*RACY, "--seeds=1..%d" % LAST, env=environment)
        self.assertIn("with all events: %s --" % RACY[0], errors)

    def log(self, *flags):
        events = folder_of(self) / "events"
        return (*run(*RACY, *flags, "--log=%s" % events), events.read_text())

    @over("how", ENDS)
    def test_a_failing_run_is_logged_to_its_end(self, how):
        *_, log = self.log("--seed=%d" % self.failing[0], "--how=" + how)
        self.assertEqual(len(re.findall(r'"effect",.*"op":"put",.*"memory":"heap","offset":0,"bytes":8,', log)), 2)

    def test_values_that_operations_carry(self):
        _, _, _, log = self.log("--seed=1")
        gets = re.findall(r'"effect",.*"op":"get",.*"offset":0,.*"after":\[(\d+)\]', log)
        puts = re.findall(r'"effect",.*"op":"put",.*"offset":0,.*"after":\[(\d+)\]', log)
        self.assertEqual((gets, puts), (["0", "1"], ["1", "2"]))
        self.assertEqual(run(*RACY, "--seed=1", "--log"), (0, "adding\n2 additions\n", log))
