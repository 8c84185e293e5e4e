"""Runs of programs: carried out in turns, kept in a file, and shown on a terminal while they last."""

import collections
import concurrent.futures
import hashlib
import json
import os
import shlex
import statistics
import subprocess
import sys

TIMEOUT_S = 120


class Store:
    """The runs so far, in a file with a JSON object a line, so that an interrupted demo loses none.

    A run counts again only where the program that made it is still the same, byte for byte.
    """

    def __init__(self, path, resume):
        self._path = path
        self._digests = {}
        self._runs = collections.defaultdict(list)
        if resume and os.path.exists(path):
            with open(path) as file:
                for line in file:
                    self._take(line)
        elif os.path.exists(path):
            os.remove(path)

    def _take(self, line):
        try:
            kept = json.loads(line)
        except ValueError:
            return  # The line that was being written when the demo was ended.
        if kept["program"] == self._digest(shlex.split(kept["command"])):
            self._runs[kept["command"]].append(kept["report"])

    def _digest(self, command):
        """Digest of the program that a command runs: of the first file in it that Bazel or a user has built."""
        binary = next((part for part in command if "/" in part and not part.endswith(".sh") and os.path.isfile(part)),
                      None)
        if binary is None:
            return ""
        if binary not in self._digests:
            with open(binary, "rb") as file:
                self._digests[binary] = hashlib.sha256(file.read()).hexdigest()[:16]
        return self._digests[binary]

    def add(self, command, report):
        key = shlex.join(command)
        self._runs[key].append(report)
        with open(self._path, "a") as file:
            file.write(json.dumps({"command": key, "program": self._digest(command), "report": report}) + "\n")

    def of(self, command):
        """The reports of a command's runs."""
        return self._runs.get(shlex.join(command), [])


def run(command):
    """The report that a program prints, or {"failed": words}."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              text=True, timeout=TIMEOUT_S, env=environment)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode == 0 and lines:
            return json.loads(lines[-1])
        words = next((line for line in done.stderr.splitlines() if line.strip()), "")
        return {"failed": "exit status %d: %s" % (done.returncode, words)}
    except subprocess.TimeoutExpired:
        return {"failed": "no end after %d s" % TIMEOUT_S}
    except (OSError, ValueError) as error:
        return {"failed": str(error)}


class Progress:
    """What runs now and how much is left: a bar on a terminal, else a line where something long begins."""

    def __init__(self, total):
        self._bar = None
        if sys.stderr.isatty():
            from rich import console, progress
            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"), progress.BarColumn(), progress.MofNCompleteColumn(),
                progress.TimeElapsedColumn(), progress.TextColumn("left"), progress.TimeRemainingColumn(),
                console=console.Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=total)

    def __enter__(self):
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_):
        if self._bar:
            self._bar.stop()

    def begins(self, what):
        """Something long begins."""
        if not self._bar:
            print(what, file=sys.stderr, flush=True)

    def shows(self, what):
        if self._bar:
            self._bar.update(self._task, description=what[:60])

    def advances(self):
        if self._bar:
            self._bar.advance(self._task)


class Runner:
    """Carries out the runs that a store lacks."""

    def __init__(self, store, progress, run_one=run):
        self._store = store
        self._progress = progress
        self._run = run_one
        self.failures = {}  # {command: words}

    def _one(self, command):
        report = self._run(command)
        if "failed" in report:
            self.failures[shlex.join(command)] = report["failed"]
        return report

    def _keep(self, command, report):
        if "failed" not in report:
            self._store.add(command, report)
        self._progress.advances()

    def in_turns(self, title, commands, repeat):
        """Runs each command `repeat` times, one after the other, so that a slow minute of the machine is shared."""
        self._progress.begins("running %s ..." % title)
        had = {shlex.join(command): len(self._store.of(command)) for command in commands}
        for turn in range(repeat):
            for command in commands:
                self._progress.shows("%s, turn %d of %d: %s" % (title, turn + 1, repeat, name_of(command)))
                if turn < had[shlex.join(command)] or shlex.join(command) in self.failures:
                    self._progress.advances()
                else:
                    self._keep(command, self._one(command))

    def at_once(self, title, commands):
        """Runs each command once, as many at a time as there are cores: for simulations, whose time is virtual."""
        self._progress.begins("simulating %s ..." % title)
        self._progress.shows("simulating " + title)
        missing = []
        for command in commands:
            if self._store.of(command):
                self._progress.advances()
            else:
                missing.append(command)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            running = {pool.submit(self._one, command): command for command in missing}
            try:
                for done in concurrent.futures.as_completed(running):
                    self._keep(running[done], done.result())
            except KeyboardInterrupt:
                for each in running:
                    each.cancel()
                raise


def name_of(command):
    """A run in few words: the runtime and the number of ranks."""
    ranks = next((part[len("--ranks="):] for part in command if part.startswith("--ranks=")), "1")
    binary = next((part for part in command if "/" in part and not part.endswith(".sh")), command[0])
    return "%s, %s ranks" % (os.path.basename(binary), ranks)


def numbers(result):
    """Every number in a result, which may be one, or an object of them."""
    if isinstance(result, dict):
        return [n for value in result.values() for n in numbers(value)]
    if isinstance(result, list):
        return [n for value in result for n in numbers(value)]
    return [result]


def median(values):
    """The median, and a 95 % confidence interval of it: the narrowest pair of order statistics, the same number of
    places from both ends, that holds the median of any distribution with that probability. Fewer than six values
    have no such pair: None."""
    import math
    values = sorted(values)
    count, outside, cut = len(values), 0.0, 0
    while True:
        outside += 2 * math.comb(count, cut) / 2 ** count
        if outside > 0.05:
            break
        cut += 1
    interval = (values[cut - 1], values[-cut]) if cut else None
    return statistics.median(values), interval
