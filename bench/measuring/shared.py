"""What the subcommands of bench/measure.py share: flags, runs, turns, tables, and files of records."""

import argparse
import functools
import json
import os
import pathlib
import platform
import re
import shlex
import statistics
import subprocess
import sys
import time

Refused = argparse.ArgumentTypeError  # with words that follow a flag's name: "=VALUE: must be ..."
SUBCOMMANDS = {}  # {name: (function, its arguments)}, in the order of the help


class Parser(argparse.ArgumentParser):
    """Refuses bad flags in one line: the flag, its value, and what is allowed. The description stands as it is."""

    def __init__(self, **settings):
        super().__init__(allow_abbrev=False, formatter_class=functools.partial(
            argparse.RawDescriptionHelpFormatter, max_help_position=24, width=110), **settings)

    def error(self, message):
        self.exit(2, "%s: %s\n" % (self.prog, re.sub(r"^argument (\S+): =", r"\1=", message)))


def subcommand(*arguments):
    """Makes a function a subcommand of its name; its docstring is the help, and `arguments` are made by flag()."""
    def add(function):
        SUBCOMMANDS[function.__name__] = function, arguments
        return function
    return add


def flag(name, words, default=None, **more):
    """The arguments of add_argument. A flag whose default is a number takes numbers from 1."""
    if isinstance(default, int):
        more = dict(type=count, **more)
    return name, dict(default=default, help=words + (" (default: %s)" % default if default else ""), **more)


def count(text):
    if not re.fullmatch("[0-9]+", text) or int(text) < 1:
        raise Refused("=%s: must be a number from 1" % text)
    return int(text)


def counts(text):
    try:
        return [count(number) for number in text.split(",")]
    except Refused:
        raise Refused("=%s: must be numbers from 1, as in 36,144" % text)


REPEAT = flag("--repeat", "turns", 9)
OUT = flag("--out", "file for all of it, as JSON with the command", metavar="FILE")
BINARIES = flag("--binaries", "folder of the programs", "bazel-bin/bench")


def command_of(binary, program, net, ranks):
    return [binary] + shlex.split(program) + ["--net=" + net, "--ranks=%d" % ranks, "--json"]


def printed(command):
    """What the command prints. Ends this process with an error where it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        sys.exit("%s does not run (%s): bazel build it" % (command[0], error.strerror))
    if done.returncode != 0:
        sys.exit("exit status %d from: %s" % (done.returncode, shlex.join(command)))
    return done.stdout


def run(command):
    """The report that a program prints, with its command and the real time that it took."""
    begin = time.monotonic()
    try:
        report = json.loads(printed(command))
    except ValueError:
        sys.exit("no report in JSON from: %s" % shlex.join(command))
    report["command"] = shlex.join(command)
    report["real_seconds"] = round(time.monotonic() - begin, 2)
    return report


def progress(text):
    if sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def in_turns(tries, repeat):
    """{name: what its function has returned, turn by turn}, from {name: function}. A disturbance of the machine hits
    all alike. Every second turn goes through them backwards."""
    found = {name: [] for name in tries}
    for turn in range(repeat):
        for name in list(tries) if turn % 2 == 0 else reversed(list(tries)):
            progress("turn %d of %d: %s ..." % (turn + 1, repeat, name))
            found[name].append(tries[name]())
    progress("")
    return found


def runs_in_turns(commands, repeat):
    return in_turns({name: functools.partial(run, command) for name, command in commands.items()}, repeat)


def extremes(values):
    return [f(values) for f in (statistics.median, min, max)]


def spread(values, form):
    """The median as text and, of several values, the least and the most."""
    middle, least, most = (form.format(value) for value in extremes(values))
    return middle if len(values) == 1 else "%s (%s to %s)" % (middle, least, most)


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def print_head(cells):
    print_row(cells)
    print("|" + "---|" * len(cells), flush=True)


def print_table(head, rows):
    print_head(head)
    for row in rows:
        print_row(row)


def machine():
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as info:
            model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "")
    return {"processor": model or platform.machine(), "cores": len(os.sched_getaffinity(0)),
            "system": platform.system() + " " + platform.release()}


def save(options, **fields):
    """Writes --out's file, each summary of values on a line."""
    if not options.out:
        return
    text = json.dumps({"command": options.command_line, **fields}, indent=1)
    text = re.sub(r'\{\s+("median"[^}]*?)\s+\}', lambda found: "{%s}" % " ".join(found[1].split()), text)
    write(pathlib.Path(options.out), text + "\n")


def write(path, text):
    """Writes a file, and its folder; one that is there is replaced as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    os.replace(part, path)
