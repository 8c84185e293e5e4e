"""Runs of programs: carried out in turns or at once, and kept in a file."""

import collections
import concurrent.futures
import datetime
import hashlib
import json
import math
import os
import shlex
import statistics
import threading

import jobs
import menu
import trace_file


def kept_in(line):
    """The object of a line of the file of runs; None if the line is not whole: the demo was ended within it."""
    try:
        kept = json.loads(line.decode())
        whole = isinstance(kept["report"], dict) and all(
            isinstance(kept[name], str) for name in ("command", "program", "date"))
        shlex.split(kept["command"])
    except (ValueError, TypeError, KeyError):
        return None
    return kept if whole else None


class Store:
    """The runs so far, in a file with a JSON object a line, so that an interrupted demo loses none.

    A run counts again only where the program that made it is still the same, byte for byte. Any thread may add one.
    """

    def __init__(self, path, resume):
        self._path = path
        self._digests = {}
        self._lock = threading.Lock()
        self._runs = collections.defaultdict(list)
        # Dates of the runs that count.
        self.dates = set()
        if resume and os.path.exists(path):
            self._load()
        elif os.path.exists(path):
            os.remove(path)

    def _load(self):
        with open(self._path, "rb") as file:
            content = file.read()
        for line in content.splitlines():
            kept = kept_in(line)
            if kept and kept["program"] == self._digest(shlex.split(kept["command"])):
                self._runs[kept["command"]].append(kept["report"])
                self.dates.add(kept["date"])
        if content and not content.endswith(b"\n"):
            # The next run is not to be a part of the line that was cut.
            with open(self._path, "ab") as file:
                file.write(b"\n")

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
        key, date = shlex.join(command), datetime.date.today().isoformat()
        with self._lock, open(self._path, "a") as file:
            file.write(json.dumps(
                {"command": key, "program": self._digest(command), "date": date, "report": report}) + "\n")
            self._runs[key].append(report)
            self.dates.add(date)

    def of(self, command):
        """The reports of a command's runs."""
        return self._runs.get(shlex.join(command), [])


def unlike(command, report):
    """Words on a report that is not of the run that was asked for; "" if it is."""
    asked = menu.asked(command)
    lacks = [name for name in (("result",) if asked is None else asked._fields + ("seconds", "result", "metrics"))
             if name not in report]
    if lacks:
        return "its report lacks %s" % ", ".join(lacks)
    if asked is None or asked == tuple(report[name] for name in asked._fields):
        return ""
    if report["backend"] != asked.backend:
        return "it runs on the network %s, not on %s: link it with //common/rma:%s" % (
            report["backend"], asked.backend, asked.backend)
    return "it ran %s on %s ranks, not %s on %d" % (report["program"], report["ranks"], asked.program, asked.ranks)


def phases(path):
    """Mean nanoseconds of each phase of the steals in a trace, and of suspend and resume."""
    steals = [steal for track in trace_file.load(path).values() for steal in trace_file.steals_of(track)]
    times = [dict(steal.phases, **{name: trace_file.duration(event) if event else 0 for name, event in (
        ("suspend", steal.suspend), ("resume", steal.resume))}) for steal in steals]
    return {name: statistics.fmean(each[name] for each in times) for name in times[0]} if times else {}


# {flag that names a file: (name in the report of what is read from it, reader)}
READERS = {"--timeline": ("timeline", trace_file.load_timeline), "--trace": ("phases", phases)}


def completed(command, report):
    """A report with all that belongs to the run, or {"failed": words}."""
    if "failed" in report:
        return report
    words = unlike(command, report)
    if words:
        return {"failed": words}
    files = {flag: path for flag, _, path in (part.partition("=") for part in command)}
    try:
        return dict(report, **{name: read(files[flag]) for flag, (name, read) in READERS.items() if flag in files})
    except (OSError, ValueError) as error:
        return {"failed": str(error)}


class Runner:
    """Carries out the runs that a store lacks."""

    def __init__(self, store, progress, run_one=None):
        self._store = store
        self._jobs = jobs.Jobs()
        self._run = run_one or self._jobs.run
        # Whether the demo is ending: nothing that happens then is a run's own fault.
        self._ending = False
        self.progress = progress
        self.failures = {}  # {command: words}
        # Share of the processors' time that other programs took during the last runs in turns.
        self.others = 0

    def _one(self, command):
        if self._ending:
            return
        report = completed(command, self._run(command))
        if self._ending:
            return
        if "failed" in report:
            self.failures[shlex.join(command)] = report["failed"]
        else:
            self._store.add(command, report)
        self.progress.advances()

    def in_turns(self, title, commands, repeat):
        """Runs each command `repeat` times, one after the other, so that a slow minute of the machine is shared."""
        self.progress.begins("running %s ..." % title)
        had = {shlex.join(command): len(self._store.of(command)) for command in commands}
        all_before, others_before = jobs.processor_time()
        for turn in range(repeat):
            for command in commands:
                self.progress.shows("%s, turn %d of %d: %s" % (title, turn + 1, repeat, name_of(command)))
                if turn < had[shlex.join(command)] or shlex.join(command) in self.failures:
                    self.progress.advances()
                else:
                    self._one(command)
        all_after, others_after = jobs.processor_time()
        self.others = (others_after - others_before) / (all_after - all_before)

    def at_once(self, title, commands):
        """Runs each command once, as many at a time as there are cores: for simulations, whose time is virtual."""
        self.progress.begins("simulating %s ..." % title)
        self.progress.shows("simulating " + title)
        missing = []
        for command in commands:
            if self._store.of(command):
                self.progress.advances()
            else:
                missing.append(command)
        pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        try:
            waiting = [pool.submit(self._one, command) for command in missing]
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, jobs.PART_S, concurrent.futures.FIRST_COMPLETED)
                for each in done:
                    each.result()
        except BaseException:
            self._ending = True
            pool.shutdown(wait=False, cancel_futures=True)
            self._jobs.end_all()
            raise
        finally:
            pool.shutdown()


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


def interval(count):
    """The narrowest pair of order statistics of `count` values, the same number of places from both ends, that holds the
    median of any distribution with a probability of 95 % at least: (that number, the probability). Fewer than six
    values have none: number 0."""
    cut = within = 0
    outside = 2 / 2 ** count
    while outside <= 0.05:
        cut, within = cut + 1, 1 - outside
        outside += 2 * math.comb(count, cut) / 2 ** count
    return cut, within


def median(values):
    """The median, and the interval of it that `interval` tells; None where there is none."""
    values, (cut, _) = sorted(values), interval(len(values))
    return statistics.median(values), (values[cut - 1], values[-cut]) if cut else None
