"""The demo's flags: what they may be, found out before anything is installed or built."""

import os
import re
import subprocess
import sys
import tempfile

import menu
from measuring import shared

# Longest time that a user's own program may take for its --help, in seconds.
HELP_S = 20
# Variable of the environment: the folder in which the user has called ./demo.
CALLER = "MAGPIE_CALLER"


def refuse(words):
    print("demo: " + words, file=sys.stderr)
    sys.exit(2)


def located(path):
    """A path that the user gave from where he stands, as seen from the clone; with a slash in any case."""
    full = os.path.normpath(os.path.join(os.environ.get(CALLER) or os.getcwd(), path))
    short = os.path.relpath(full)
    if short.startswith(".."):
        return full
    return short if "/" in short else "./" + short


def cores():
    return len(os.sched_getaffinity(0))


def check_net(net):
    name, *changes = net.split(",")
    if name not in menu.NETS:
        refuse("--net=%s: it begins with one of %s" % (net, ", ".join(menu.NETS)))
    for change in changes:
        if not re.fullmatch(r"\w+=[^=]+", change):
            refuse("--net=%s: behind the name stand changes like latency=2us, not %s" % (net, change))


def check_folder(given, path):
    """Makes the folder of --out, and finds out whether files can be written there."""
    if not given:
        refuse("--out=: the name of a folder")
    try:
        os.makedirs(path, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError as error:
        refuse("--out=%s: a folder in which files can be made (%s)" % (given, error.strerror))


def parse(arguments):
    """The flags. `programs` and `runtimes` are those of the menu and the user's own; `named` is whether programs were
    given."""
    parser = shared.Parser(prog="demo", add_help=False)
    parser.error = lambda message: shared.Parser.error(parser, message + "; ./demo --help shows all flags")
    parser.add_argument("--backend", default="shm", choices=menu.SUFFIXES)
    parser.add_argument("--ranks", type=shared.counts)
    parser.add_argument("--repeat", default=6, type=shared.count)
    parser.add_argument("--out", default="demo_out")
    for flag in ("net", "programs", "runtimes"):
        parser.add_argument("--" + flag)
    for flag in ("no_plots", "check", "targets"):
        parser.add_argument("--" + flag, action="store_true")
    options = parser.parse_args(arguments)
    if options.net is not None and options.no_plots and options.backend != "sim":
        refuse("--net=%s: with --no_plots nothing is simulated but by --backend=sim" % options.net)
    options.net = "ito_a" if options.net is None else options.net
    check_net(options.net)
    options.named = options.programs is not None
    choose(options)
    options.ranks = list(dict.fromkeys(options.ranks or [576 if options.backend == "sim" else max(2, cores())]))
    for flag, most, numbers in (("ranks", 1 << 20, options.ranks), ("repeat", 999, [options.repeat])):
        if max(numbers) > most:
            refuse("--%s=%d: must be at most %d" % (flag, max(numbers), most))
    given, options.out = options.out, located(options.out)
    if not options.targets:
        check_folder(given, options.out)
    return options


def names_of(flag, wanted, names):
    """The names of a list like "a,b" that are known, in the order of `names`."""
    chosen = [name for name in wanted.split(",") if name]
    for name in chosen:
        if name not in names:
            refuse("--%s=%s: %s is none of %s" % (flag, wanted, name, ", ".join(names)))
    if not chosen:
        refuse("--%s=%s names none of %s" % (flag, wanted, ", ".join(names)))
    return [name for name in names if name in chosen]


def told_by(flag, binary, path):
    """What a user's own program prints for --help."""
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        refuse("%s: %s is no program; build it first" % (flag, binary))
    try:
        return subprocess.run([path, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=HELP_S).stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        refuse("%s: its --help does not end within %d s; link it with //bench:programs or "
               "//bench:pool_main" % (flag, HELP_S))
    except OSError as error:
        refuse("%s: %s does not run (%s); build it for this machine" % (flag, binary, error.strerror))


def own_runtime(name, binary, backend):
    """A user's own runtime, linked with the programs of //bench and with the network of `backend` into `binary`."""
    flag = "--runtimes=%s=%s" % (name, binary)
    if not re.fullmatch(r"[\w.+-]+", name, re.ASCII):
        refuse("%s: a name of letters, digits and _ . + - stands before the =" % flag)
    if name in [each.name for each in menu.MENU + menu.VARIANTS]:
        refuse("%s: %s is a name of Magpie's; give your own another one" % (flag, name))
    text = told_by(flag, binary, located(binary))
    network = re.search(r"over the (\w+) network", text)
    if network and network[1] != backend:
        refuse("%s: it is linked with //common/rma:%s; --backend=%s allows what is linked with //common/rma:%s" %
               (flag, network[1], backend, backend))
    for facade, program in ((menu.FORK_JOIN, "\n  fib "), (menu.POOL, "\n  bpc ")):
        if program in text:
            return menu.Runtime(name, facade, own_binary=located(binary))
    refuse("%s: its --help names neither fib nor bpc; link it with //bench:programs or //bench:pool_main" % flag)


def runtimes_of(wanted, backend):
    """The runtimes of "--runtimes=a,b,mine=BINARY"; all of the menu where none are named."""
    if wanted is None:
        return list(menu.MENU)
    parts = [part.partition("=") for part in wanted.split(",")]
    own = [(name, binary) for name, equals, binary in parts if equals]
    of_menu = ",".join(name for name, equals, _ in parts if not equals)
    ours = menu.MENU + menu.VARIANTS
    chosen = [] if own and not of_menu else names_of("runtimes", of_menu, [each.name for each in ours])
    for index, (name, binary) in enumerate(own):
        if name in [each for each, _ in own[:index]]:
            refuse("--runtimes=%s=%s: the name %s stands twice; each has one of its own" % (name, binary, name))
    return [each for each in ours if each.name in chosen] + [
        own_runtime(name, binary, backend) for name, binary in own]


def choose(options):
    """Looks up the programs and runtimes that are asked for."""
    names = [program.name for program in menu.PROGRAMS]
    asked, runtimes = options.programs, options.runtimes
    chosen = menu.USUAL if asked is None else names if asked == "all" else names_of("programs", asked, names)
    options.runtimes = runtimes_of(runtimes, options.backend)
    options.programs = [program for program in menu.PROGRAMS if program.name in chosen]
    if not pairs(options):
        given = " ".join("--%s=%s" % each for each in (("programs", asked), ("runtimes", runtimes))
                         if each[1] is not None)
        refuse("%s: no program with a runtime that runs it: %s" % (given, " ".join(left_out(options))))


def pairs(options):
    """The (program, runtimes) that are asked for and fit each other."""
    chosen = [(program, menu.runtimes_for(program, options.runtimes)) for program in options.programs]
    return [(program, runtimes) for program, runtimes in chosen
            if any(each in options.runtimes for each in runtimes)]


def all_of(options):
    """The runtimes of all tables."""
    return list(dict.fromkeys(runtime for _, runtimes in pairs(options) for runtime in runtimes))


def left_out(options):
    """Words on each program that is asked for, and that no chosen runtime runs."""
    fit = [program for program, _ in pairs(options)]
    return [menu.why_left_out(program, options.runtimes) for program in options.programs if program not in fit]
