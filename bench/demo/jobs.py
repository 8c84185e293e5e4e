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
# A signal that comes just before a wait is noticed only when that ends, so waits are cut into parts of so many seconds.
PART_S = 1


def processor_time():
    """Seconds that have passed on all processors, and those in which they worked for something else than this process
    and what it has waited for: for other programs, or, on a virtual machine, for others of its host."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    worked = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() * os.cpu_count(), worked - sum(os.times()[:4])


class Interruptions:
    """Turns signals into KeyboardInterrupt in the main thread, but for sections that must not be cut."""

    def __init__(self):
        self._held = self._pending = False

    def listen(self):
        """Takes signals from now on, but for those that are ignored, as SIGHUP is below nohup."""
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(each) != signal.SIG_IGN:
                signal.signal(each, self._take)

    def _take(self, *_):
        if not self._held:
            raise KeyboardInterrupt
        self._pending = True

    @contextlib.contextmanager
    def held(self):
        """A section at whose end an interruption that comes meanwhile is raised. Other threads have none."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt


interruptions = Interruptions()


def session_of(process_id):
    try:
        return os.getsid(process_id)
    except ProcessLookupError:
        return None


def kill_session(session):
    """Kills what is left of a session: a launcher may have given its ranks process groups of their own."""
    for name in os.listdir("/proc"):
        if name.isdigit() and session_of(int(name)) == session:
            with contextlib.suppress(ProcessLookupError):
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


def outcome(process):
    """What a process prints; TimeoutExpired at the limit."""
    limit = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return process.communicate(timeout=max(0, min(PART_S, limit - time.monotonic())))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= limit:
                raise


def report_of(status, output, errors):
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
    """Runs programs, each in a session of its own, from any number of threads.

    A terminal's Ctrl-C does not reach them: whoever is interrupted calls end_all().
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._running = set()
        self._ended = False

    def run(self, command):
        """The report that a program prints, or {"failed": words}."""
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        process = None
        try:
            with interruptions.held(), self._lock:
                if self._ended:
                    return {"failed": "ended before it began"}
                process = subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                    errors="replace", env=environment, start_new_session=True)
                self._running.add(process)
            output, errors = outcome(process)
            return report_of(process.returncode, output, errors)
        except OSError as error:
            return {"failed": str(error)}
        except BaseException as error:
            if process:
                with process:  # closes its pipes
                    end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                return {"failed": "no end after %d s" % TIMEOUT_S}
            raise
        finally:
            with self._lock:
                self._running.discard(process)

    def end_all(self):
        """Ends all that run, and lets no other begin."""
        with self._lock:
            self._ended = True
            running = list(self._running)
        end(*running)


def call(command):
    """Exit status of a command that prints to the terminal; an interruption ends it, too."""
    process = None
    try:
        with interruptions.held():
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        return process.wait()
    except BaseException:
        if not process:
            raise
        process.terminate()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
        raise
