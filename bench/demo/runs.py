"""Runs of programs: carried out in turns or at once, and kept in a file."""

import collections
import concurrent.futures
import datetime
import json
import math
import os
import shlex
import statistics
import threading

import jobs
import menu
from figures import store as figures_store

# A signal that comes just before a wait is noticed only when that ends, so waits are cut into parts of so many seconds.
PART_S = 1


class Store:
    """The runs so far, each also a line of JSON in a file, so that an interrupted demo leaves them. Any thread may add
    one."""

    def __init__(self, path):
        self._path = path
        self._lock = threading.Lock()
        self._runs = collections.defaultdict(list)
        open(path, "w").close()

    def add(self, command, report):
        key = shlex.join(command)
        with self._lock, open(self._path, "a") as file:
            file.write(json.dumps({"command": key, "date": datetime.date.today().isoformat(), "report": report}) + "\n")
            self._runs[key].append(report)

    def of(self, command):
        """The reports of a command's runs."""
        return self._runs.get(shlex.join(command), [])


# {flag that names a file: (name in the report of what is read from it, reader)}
READERS = {"--timeline": ("timeline", figures_store.timeline_of), "--trace": ("phases", figures_store.phases_of)}


def completed(command, report):
    """A report with all that belongs to the run, or {"failed": words}."""
    if "failed" in report:
        return report
    asked = menu.ranks_of(command)
    had = report.get("ranks", asked)
    if had != asked:  # Another MPI's launcher starts each rank as a job of its own.
        return {"failed": "it ran on %s ranks, not on %d" % (had, asked)}
    files = {flag: path for flag, _, path in (part.partition("=") for part in command)}
    try:
        return dict(report, **{name: read(files[flag]) for flag, (name, read) in READERS.items() if flag in files})
    except (OSError, ValueError) as error:
        return {"failed": str(error)}


class Runner:
    """Carries out the runs that a store lacks, in threads, so that interruptions find the main one waiting."""

    def __init__(self, store, progress):
        self._store = store
        self._jobs = jobs.Jobs()
        self.progress = progress
        self.failures = {}  # {command: words}
        # Share of the processors' time that other programs took during the last runs in turns.
        self.others = 0

    def _one(self, shown, command):
        self.progress.shows(shown)
        if not self._jobs.ended and shlex.join(command) not in self.failures:
            report = completed(command, self._jobs.run(command))
            if self._jobs.ended:
                return
            if "failed" in report:
                self.failures[shlex.join(command)] = report["failed"]
            else:
                self._store.add(command, report)
        self.progress.advances()

    def in_turns(self, title, commands, repeat):
        """Runs each command `repeat` times, one after the other, so that a slow minute of the machine is shared."""
        self.progress.begins("running %s ..." % title)
        all_before, others_before = jobs.processor_time()
        self._carry_out([("%s, turn %d of %d: %s" % (title, turn + 1, repeat, name_of(command)), command)
                         for turn in range(repeat) for command in commands], 1)
        all_after, others_after = jobs.processor_time()
        self.others = (others_after - others_before) / (all_after - all_before)

    def at_once(self, title, commands):
        """Runs each command once, as many at a time as there are cores: for simulations, whose time is virtual."""
        self.progress.begins("simulating %s ..." % title)
        self._carry_out([("simulating " + title, command) for command in commands], len(os.sched_getaffinity(0)))

    def _carry_out(self, wanted, at_a_time):
        """Carries out, in this order, what the store lacks of the wanted (what the display shows, command)."""
        had = collections.Counter({shlex.join(command): len(self._store.of(command)) for _, command in wanted})
        pool = concurrent.futures.ThreadPoolExecutor(at_a_time)
        try:
            waiting = []
            for shown, command in wanted:
                if had[shlex.join(command)] > 0:
                    self.progress.advances()
                else:
                    waiting.append(pool.submit(self._one, shown, command))
                had[shlex.join(command)] -= 1
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, PART_S, concurrent.futures.FIRST_COMPLETED)
                for each in done:
                    each.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            self._jobs.end_all()
            raise
        finally:
            pool.shutdown()


def name_of(command):
    """A run in few words: the runtime and the number of ranks."""
    binary = next((part for part in command if "/" in part and not part.endswith(".sh")), command[0])
    ranks = menu.ranks_of(command)
    return "%s, %d rank%s" % (os.path.basename(binary), ranks, "s"[:ranks != 1])


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
