"""Explores every mutant, and demands that each fails within its stated number of seeds.

Usage: bazel test //tests/mutants:kill_test --test_output=all

The control, which is the runtime without a mistake, must pass all seeds of all mutants. Prints a table: for each mutant
the seed that killed it, how it showed, and below that the mistake. Exits with status 1 if a mutant survives or the
control fails.
"""

import pathlib
import re
import subprocess
import sys

import mutate

# Where the test finds the list of mutants and their binaries.
HERE = pathlib.Path("tests/mutants")
EXPLORE = ["--explore", "--seconds_per_seed=3"]
UNLESS_GIVEN = ["--memory=tso", "--patience=0.01"]
FIRST = re.compile(r"magpie: seed (\d+) is the first to fail, with (.*?);")
ROW = "{:<25}{:>6}{:>8}  {}\n    {}"


def explore(name, run, within):
    """Returns (first seed that fails, how it fails), or None."""
    programs, *flags = run
    given = [flag.split("=")[0] for flag in flags]
    flags += [flag for flag in UNLESS_GIVEN if flag.split("=")[0] not in given]
    done = subprocess.run(
        [HERE / ("%s_%s" % (name, programs))] + flags + EXPLORE + ["--seeds=1..%d" % within],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode == 0:
        return None
    failed = FIRST.search(done.stdout)
    if failed is None:
        sys.exit("%s: exit status %d, and no seed:\n%s" % (name, done.returncode, done.stdout))
    words = [line for line in done.stdout.splitlines()
             if line.startswith(("magpie: ", "conformance: ")) and not FIRST.search(line)]
    return int(failed[1]), words[0].removeprefix("magpie: ") if words else failed[2]


def main():
    mutants = [m for m in mutate.load(HERE / "mutants.bzl")["MUTANTS"] if m["run"]]
    status = 0
    print(ROW.format("mutant", "seeds", "within", "shows as", "the mistake"))
    for mutant in mutants:
        found = explore(mutant["name"], mutant["run"], mutant["within"])
        if found is None:
            status = 1
        seeds, words = found or ("-", "SURVIVED")
        print(ROW.format(mutant["name"], seeds, mutant["within"], words[:100], mutant["breaks"]), flush=True)
    explored = {}
    for mutant in mutants:
        run = (mutant.get("control", "none"), *mutant["run"])
        explored[run] = max(explored.get(run, 0), mutant["within"])
    for run, within in explored.items():
        found = explore(run[0], run[1:], within)
        if found is not None:
            status = 1
            print("the control fails: %s: seed %d: %s" % (" ".join(run), *found))
    if status == 0:
        print("the control passed all %d seeds of %d programs" % (sum(explored.values()), len(explored)))
    return status
