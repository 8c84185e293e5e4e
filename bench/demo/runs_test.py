"""Tests how the demo carries out runs, keeps them, and ends them."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import unittest
from unittest import mock

import jobs
import menu
import runs
import testing
from program_checks import folder_of

POOL = next(program for program in menu.PROGRAMS if program.name == "bpc")
SWS = next(runtime for runtime in menu.MENU if runtime.name == "pool_sws")
# Runs simulations that say that they have begun, in a file, and do not end.
SIMULATING = """
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, %r)
import main, menu, runs, tables
from unittest import mock
command = ["/bin/sh", "-c", "echo begun >> " + sys.argv[1] + "/begun; echo begun; exec sleep 1000"]
real = runs.jobs.Jobs.run
# A test may run where SIGINT is ignored.
runs.jobs.signal.signal(runs.jobs.signal.SIGINT, runs.jobs.signal.default_int_handler)
main.jobs.listen()
with mock.patch.object(main, "build"), mock.patch.object(
        runs.jobs.Jobs, "run", lambda self, _: real(self, command)):
    sys.exit(main.main(["--out=" + sys.argv[1], "--backend=%s", "--programs=bpc", "--runtimes=pool_sws", "--no_plots"]))
"""


class ReportTest(unittest.TestCase):

    def test_what_a_program_says(self):
        for script, expected in [
            ("echo words; echo '{\"a\": 1}'", {"a": 1}),
            ("echo first >&2; echo second >&2; exit 3", {"failed": "exit status 3: first"}),
            ("echo words", {"failed": "exit status 0: "}),
            ("echo '{broken'", None),
        ]:
            with self.subTest(script=script):
                report = jobs.Jobs().run(["/bin/sh", "-c", script])
                self.assertEqual(report, expected) if expected else self.assertIn("failed", report)
        self.assertIn("failed", jobs.Jobs().run(["no/such/program"]))

    def test_reports_of_other_ranks_are_failures(self):
        command = menu.command_of(POOL, SWS, "mpi", 2, "ito_a")
        self.assertIn("result", runs.completed(command, testing.made_up_report(command)))
        self.assertEqual(runs.completed(command, dict(testing.made_up_report(command), ranks=1)),
                         {"failed": "it ran on 1 ranks, not on 2"})

    def test_timelines_are_kept_with_the_report(self):
        command = ["bazel-bin/bench/x_sim", "pfor", "--net=ito_a", "--ranks=2", "--timeline=%s/t.csv" % folder_of(self)]
        report = runs.completed(command, testing.made_up_report(command))
        self.assertEqual(len(report["timeline"]), 2)
        self.assertIn("failed", runs.completed(command[:-1] + ["--timeline=no/such"], dict(report)))


class EndTest(testing.DemoCase):

    def gone(self, fifo):
        """Waits until nobody has the FIFO open for writing."""
        try:
            return os.read(fifo, 1) == b""
        except BlockingIOError:
            self.assertTrue(select.select([fifo], [], [], 30)[0], "a process goes on")
            return os.read(fifo, 1) == b""

    def test_all_that_a_run_has_started_ends_with_it_at_the_limit(self):
        for trap in ("", "trap '' TERM; "):
            with self.subTest(trap=trap):
                path = os.path.join(self.folder, "alive")
                os.mkfifo(path)
                fifo = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                self.addCleanup(os.close, fifo)
                # A group of its own, as a launcher makes for its ranks; whoever ignores SIGTERM is killed.
                script = "set -m; (%sexec 9> %s; while sleep 1000; do :; done) & wait" % (trap, path)
                with mock.patch.object(jobs, "TIMEOUT_S", 0.3), mock.patch.object(jobs, "GRACE_S", 0.2):
                    self.assertEqual(jobs.Jobs().run(["bash", "-c", script]), {"failed": "no end after 0 s"})
                self.assertTrue(self.gone(fifo))
                os.remove(path)

    def test_a_run_may_tidy_up(self):
        tidy = os.path.join(self.folder, "tidy")
        with mock.patch.object(jobs, "TIMEOUT_S", 0.5):
            jobs.Jobs().run(["bash", "-c", "trap 'touch %s; exit' TERM; sleep 1000 & wait" % tidy])
        self.assertTrue(os.path.exists(tidy))

    def test_no_job_begins_after_the_end(self):
        running = jobs.Jobs()
        running.end_all()
        begun = os.path.join(self.folder, "begun")
        self.assertEqual(running.run(["touch", begun]), {"failed": "ended before it began"})
        self.assertEqual(os.listdir(self.folder), [])

    def interrupted(self, backend, number):
        """The lines on standard error of a demo that was interrupted while runs went on, and how many had begun."""
        begun = os.path.join(self.folder, "begun")
        if os.path.exists(begun):
            os.remove(begun)
        os.mkfifo(begun)
        demo = subprocess.Popen(
            [sys.executable, "-c", SIMULATING % (testing.HERE, backend), self.folder], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        at_once = len(os.sched_getaffinity(0)) if backend == "sim" else 1
        # Held open for reading and writing, so that it has no end while the test reads.
        fifo = os.open(begun, os.O_RDWR)
        self.addCleanup(os.close, fifo)
        seen = b""
        while seen.count(b"\n") < at_once:
            self.assertTrue(select.select([fifo], [], [], 60)[0], "no run begins")
            seen += os.read(fifo, 4096)
        os.kill(demo.pid, number)
        _, errors = demo.communicate(timeout=60)
        os.set_blocking(fifo, False)
        with contextlib.suppress(BlockingIOError):
            seen += os.read(fifo, 4096)
        self.assertEqual(seen.count(b"\n"), at_once, "runs began after the interruption")
        return demo.returncode, errors.splitlines()

    def test_an_interruption_ends_all_and_is_no_run_s_failure(self):
        for backend, number in (("sim", signal.SIGINT), ("shm", signal.SIGTERM)):
            with self.subTest(backend=backend):
                status, errors = self.interrupted(backend, number)
                self.assertEqual((status, errors[-1]), (130, "demo: interrupted"))
                self.assertEqual([line for line in errors if "failed" in line or "Traceback" in line], [])

    def test_signals_that_are_ignored_stay_so(self):
        before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            jobs.listen()
            self.assertEqual(signal.getsignal(signal.SIGHUP), signal.SIG_IGN)
            with self.assertRaises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)
