"""SIGUSR1 makes a running job tell what its ranks do, and the job goes on; a terminal shows how far it is.

Usage: asked_test.py PROGRAM
       asked_test.py PROGRAM simulated
       asked_test.py PROGRAM MPI_LAUNCHER MPI_FLAVOR

Waits for what is printed, and for as long as the test may take.
"""

import contextlib
import os
import pty
import re
import signal
import subprocess
import tempfile

STATE = re.compile(r"magpie: +rank (\d+) (runs, (?:in|outside) tasks|polls|searches for work|rests|waits in a collective|"
                   r"is in a system call).*; steals: (\d+), spawned: (\d+), ended: (\d+)")


class Job:
    """A job that runs until it is let go."""

    def __init__(self, command, folder, terminal=None, **more):
        self.until = os.path.join(folder, "until%d" % len(os.listdir(folder)))
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "TMPDIR": folder, "MAGPIE_TEST_UNTIL": self.until, **more}
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE if terminal is None else terminal,
                                        text=True, env=environment)
        begun = self.process.stdout.readline()
        self.rank, self.rank_process = map(int, re.fullmatch(r"rank (\d+) is process (\d+)\n", begun).groups())

    def ask(self):
        self.process.send_signal(signal.SIGUSR1)

    def lines(self, count):
        """Reads that many lines of standard error."""
        return [self.process.stderr.readline() for _ in range(count)]

    def states(self, ranks):
        """Expects the lines of that many ranks, in order, each with its numbers."""
        found = {}
        while len(found) < ranks:
            line = self.process.stderr.readline()
            match = STATE.match(line)
            # Open MPI's launcher says that it passes a signal on.
            assert match or line.startswith("magpie: asked by SIGUSR1") or "Forwarding signal" in line, line
            if match:
                found[int(match[1])] = [int(n) for n in match.groups()[2:]]
        assert sorted(found) == list(range(ranks)), found
        return [found[rank] for rank in range(ranks)]

    def end(self):
        """Lets the job go; returns the rest of standard error, but for states."""
        open(self.until, "w").close()
        _, rest = self.process.communicate()
        assert self.process.returncode == 0, (self.process.returncode, rest)
        # Open MPI 5's launcher passes a signal on twice.
        return "".join(line for line in (rest or "").splitlines(True) if not STATE.match(line))


def asks_all(command, folder):
    job = Job(command(3), folder)
    job.ask()
    first = job.states(3)
    def ended(states):
        return sum(state[2] for state in states)

    # Ends when tasks do.
    while True:
        job.ask()
        if ended(job.states(3)) > ended(first):
            break
    assert job.end() == ""


def asks_one(command, folder):
    job = Job(command(2), folder)
    os.kill(job.rank_process, signal.SIGUSR1)
    [line] = job.lines(1)
    assert STATE.match(line) and line.startswith("magpie: rank %d " % job.rank), line
    assert job.end() == ""


def respects_a_handler(command, folder):
    job = Job(command(2), folder, MAGPIE_TEST_OWN_HANDLER="1")
    job.ask()  # the signal goes to both ranks
    assert job.lines(2) == 2 * ["the program's own handler\n"]
    os.kill(job.rank_process, signal.SIGUSR1)
    assert job.lines(1) == ["the program's own handler\n"]
    assert job.end() == ""


def shows_progress(command, folder):
    ours, theirs = pty.openpty()
    job = Job(command(2) + ["--progress=0.1"], folder, terminal=theirs)
    os.close(theirs)
    seen = ""
    with contextlib.suppress(OSError):  # the end of a terminal
        while not re.search(r"\d s, 1 of 2 ranks run tasks; steals \d+, spawned \d\S*, ended \d", seen):
            seen += os.read(ours, 4096).decode()
        open(job.until, "w").close()
        while more := os.read(ours, 4096).decode():
            seen += more
    assert seen.endswith("\r\x1b[K"), seen[-200:]
    job.end()


def asks_a_simulation(command, folder):
    job = Job(command(3), folder)
    for _ in range(2):
        job.ask()
        lines = job.lines(4)
        assert lines[0].startswith("magpie: asked by SIGUSR1, what the ranks do, at "), lines
        assert all(re.match(r"magpie:   rank %d at .* us \w+" % rank, lines[rank + 1]) for rank in range(3)), lines
    assert job.end() == ""


def main(program, launcher=None, flavor=None):
    def command(ranks):
        more = ["--oversubscribe", "--bind-to", "none"] if flavor == "openmpi" else []
        if launcher in (None, "simulated"):
            return [program, "--ranks=%d" % ranks]
        return [launcher, *more, "-n", str(ranks), program]

    tests = [asks_a_simulation] if launcher == "simulated" else [asks_all, asks_one]
    if launcher is None:
        tests += [respects_a_handler, shows_progress]
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="asked.", ignore_cleanup_errors=True) as folder:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as shared:
            # The same as in third_party/mpi/run_mpi.sh.
            if flavor == "openmpi" and "(Open MPI) " in subprocess.getoutput(launcher + " --version"):
                os.environ.setdefault("OMPI_MCA_btl", "^tcp")
            for component in ("btl_sm", "btl_vader", "osc_rdma", "osc_sm"):
                os.environ["OMPI_MCA_%s_backing_directory" % component] = shared
            for test in tests:
                print("==", test.__name__, flush=True)
                with tempfile.TemporaryDirectory(dir=folder) as own:
                    test(command, own)
