"""The lines of the source that call the shim, from the addresses that the simulator records.

A runtime compiled with line numbers (-g1), as those of the root's BUILD are, has them; addr2line, of binutils, reads
them.
"""

import functools
import os
import re
import shutil
import subprocess

import jumps

# Root of the source tree that this file is from; a program of another tree has its own.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# The shim itself: what a mechanism calls there is told by the next frame.
SHIM = "common/rma/"
AROUND = 4


class Sources:
    """`why` says, in words, why there are no lines; empty where there are."""

    def __init__(self, binary):
        self.binary, self.frames, self.why = binary, {}, ""
        self.roots = [os.path.abspath(binary).partition("/bazel-")[0], os.getcwd(), ROOT]
        for tool in ("addr2line", "objdump"):
            if shutil.which(tool) is None:
                self.why = "%s is not there, which is in the package binutils" % tool

    def look_up(self, calls):
        """Finds the frames of all these calls, the innermost first: {return address: names of functions of the shim,
        one of which was called}."""
        if self.why:
            return
        ended = jumps.Jumps.of(self.binary)
        for address, names in calls.items():
            # The call ends where it returns to.
            at = [*ended.before(address, names), address - 1]
            found = subprocess.run(["addr2line", "-i", "-e", self.binary, *("%#x" % each for each in at)],
                                   capture_output=True, text=True, check=True).stdout
            self.frames[address] = [frame for frame in map(self.frame_of, found.splitlines()) if frame]
        if calls and not any(self.frames.values()):
            self.why = "the runtime has no line numbers: compile it with -g1"

    def places_of(self, address):
        """(file, line) of each frame outside the shim, the innermost first."""
        return [frame for frame in self.frames.get(address, []) if not frame[0].startswith(SHIM)]

    def frame_of(self, line):
        """(file, line number) as addr2line tells them, or nothing; of a file, its name in the tree that it is from."""
        name, _, number = line.split(" ")[0].rpartition(":")
        name = os.path.normpath(name.replace("/proc/self/cwd/", ""))
        for root in self.roots:
            name = name.removeprefix(root + "/")
        if not number.isdigit() or name.startswith(("/", "?", "..")):
            return None
        return re.sub("^external/[^/]+/", "", name), int(number)

    @functools.lru_cache(maxsize=None)
    def lines_of(self, path):
        for root in self.roots:
            try:
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    return file.read().splitlines()
            except OSError:
                pass
        return []


def ends(line):
    """Whether a statement, or what stands before one, ends with the line."""
    code = line.split("//")[0].strip()
    return not code or code[-1] in ";{}:"


def statement(lines, number):
    """Numbers of the first and the last line of the statement that a line is part of."""
    first = last = number
    while first > 1 and not ends(lines[first - 2]):
        first -= 1
    while last < len(lines) and not ends(lines[last - 1]):
        last += 1
    return first, last
