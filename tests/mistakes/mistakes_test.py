"""Makes every mistake of a program, and compares how it ends with its table.

Usage: mistakes_test.py PROGRAM
       mistakes_test.py PROGRAM RUN_MPI MPI_LAUNCHER MPI_FLAVOR
       mistakes_test.py PROGRAM explored WORDS
Under a launcher, which has words of its own, only those on several ranks.
Explored, what is told on several ranks with WORDS among its own, in many
schedules.

A mistake ends within seconds: one that hangs is one that fails.
"""

import concurrent.futures
import re
import subprocess

LIMIT = 60
STATUSES = {
    "well": lambda status: status == 0,
    "goes_on": lambda status: status == 0,
    "warned": lambda status: status == 0,
    "told": lambda status: status == 1,
    "refused": lambda status: status == 2,
    "dies": lambda status: status not in (0, 1),
}


def under(launcher, command, flags):
    """Returns the command on the number of ranks in its flags, which the launcher starts."""
    if launcher is None:
        return command + flags
    [ranks] = [flag.split("=")[1] for flag in flags if flag.startswith("--ranks=")]
    return [*launcher, "--ranks=" + ranks, *command, *flags]


def complaint(launcher, command, flags, end, words):
    """Says what is wrong with the end of the job; None: nothing."""
    try:
        done = subprocess.run(under(launcher, command, flags.split()), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired as hanging:
        return "hangs; printed %r" % ((hanging.stderr or b"")[-2000:],)
    status, told = done.returncode, done.stderr
    if not STATUSES[end](status):
        return "ended with status %d, printed %r" % (status, told[-2000:])
    if end == "well" and told:
        return "must be silent, printed %r" % told[-2000:]
    if not re.search(words, told, re.MULTILINE):
        return "must say %r, printed %r" % (words, told[-2000:])
    # Ranks that a line names have lines of their own, which are indented.
    if end in ("warned", "told", "refused") and len(re.findall("magpie: (?! )", told)) != 1:
        return "must say it once, printed %r" % told[-2000:]
    return None


# Whose second claim may come before the first one's free has arrived: it gets
# the right result then (impl/greedy_join/README.md).
UNTOLD = {"joined_twice", "joined_twice_spawn_between", "joined_and_discarded"}


def explored(rows, about):
    """Yields the rows whose words are about something, once for each seed."""
    told = [row for row in rows if row[2] == "told" and about in row[3]
            and "--ranks=1" not in row[1] and "--explore" not in row[1]
            and not (row[0] in UNTOLD and "--forced_steal" in row[1])]
    for name, flags, end, words in told:
        for seed in range(1, 11):
            patience = "" if "--patience" in flags else " --patience=0.01"
            yield (name, "%s --explore --memory=pso%s --seed=%d" % (flags, patience, seed), end,
                   words.replace("$", "( |$)"))


def main(program, mode=None, *more):
    launcher = None
    table = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in table.splitlines()]
    if mode == "explored":
        rows = list(explored(rows, *more))
    elif mode is not None:
        launcher = [mode, "--launcher=" + more[0], "--flavor=" + more[1]]
        rows = [row for row in rows if "--ranks=1" not in row[1]]
    # Most of a job is waiting for its launcher.
    at_a_time = 2 if launcher is None else 4
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        complaints = pool.map(lambda row: complaint(launcher, [program, row[0]], *row[1:]), rows)
        for row, wrong in zip(rows, complaints):
            if wrong is not None:
                failures += 1
                print("FAILED: %s %s: %s" % (row[0], row[1], wrong))
    print("%d mistakes made, %d ended wrongly" % (len(rows), failures))
    return failures > 0 or not rows
