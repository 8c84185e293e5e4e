"""Processes that the demo starts, how all that they have started is ended, and interruptions."""

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time

TIMEOUT_S = 120
# Time that a job has to tidy up after it was asked to end, in seconds.
GRACE_S = 10


def processor_time():
    """Seconds that have passed on all processors, and those in which they worked for something else than this process
    and what it has waited for: for other programs, or, on a virtual machine, for others of its host."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    worked = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() * os.cpu_count(), worked - sum(os.times()[:4])


def listen():
    """Turns signals into KeyboardInterrupt in the main thread, but for those that are ignored, as SIGHUP is below
    nohup."""
    def interrupt(*_):
        raise KeyboardInterrupt

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) != signal.SIG_IGN:
            signal.signal(each, interrupt)


def kill_session(session):
    """Kills what is left of a session: a launcher may have given its ranks process groups of their own."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(int(name)) == session:
                os.kill(int(name), signal.SIGKILL)


def end(*processes):
    """Asks processes that lead sessions to end, and kills what is then left of these, or after a while."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        kill_session(process.pid)


def report_of(output, errors, status):
    """The report that a program has printed, or {"result": {page: title}} of bench/explain, or {"failed": words}."""
    pages = dict(re.findall(r"^(\S.*\.html): (.*)$", output, re.M))
    lines = [line for line in output.splitlines() if line.startswith("{")] or pages and [json.dumps({"result": pages})]
    if status == 0 and lines:
        try:
            return json.loads(lines[-1])
        except ValueError as error:
            return {"failed": str(error)}
    words = next((line for line in errors.splitlines() if line.strip()), "")
    return {"failed": "exit status %d: %s" % (status, words)}


class Jobs:
    """Runs programs, each in a session of its own, from threads that are not the main one, in which no interruption comes.

    A terminal's Ctrl-C does not reach them: whoever is interrupted calls end_all().
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        # Whether all are ending: nothing that happens then is a run's own fault.
        self.ended = False

    def run(self, command):
        """The report that a program prints, or {"failed": words}."""
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        with self._lock:
            if self.ended:
                return {"failed": "ended before it began"}
            try:
                process = subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                    errors="replace", env=environment, start_new_session=True)
            except OSError as error:
                return {"failed": str(error)}
            self._running.add(process)
        with process:
            try:
                return report_of(*process.communicate(timeout=TIMEOUT_S), process.returncode)
            except subprocess.TimeoutExpired:
                end(process)
                return {"failed": "no end after %d s" % TIMEOUT_S}
            finally:
                with self._lock:
                    self._running.discard(process)

    def end_all(self):
        """Ends all that run, and lets no other begin."""
        with self._lock:
            self.ended = True
            running = list(self._running)
        end(*running)
