"""docs/mixing.md, walked: its commands are run, and what they print is compared.

That happens in a copy of this repository, with a Bazel of its own. Times of the steps are printed at the end. Nothing
that belongs to a step comes from a cache; what `./demo` has built for who begins the walk is built before, with this
machine's settings.
"""

import pathlib
import shutil
import subprocess
import sys
import time
import unittest

import walk
from own_bazel import OwnBazel
from walk import ROOT

DOCUMENT = ROOT / "docs" / "mixing.md"
FOLDER = "mine"
# What `./demo` has built, as far as the walk needs it.
BUILT = ["//bench:cont_greedy", "//bench:cont_greedy_sim", "//bench:serial"]


def left_out(folder, names):
    """What is not copied: what Bazel and Git keep, and this walk's folder if somebody has walked before."""
    is_root = pathlib.Path(folder) == ROOT
    return [name for name in names if name == "__pycache__" or
            (is_root and (name.startswith("bazel-") or name in (".git", FOLDER)))]


class MixingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bazel = OwnBazel()
        cls.copy = cls.bazel.folder / "magpie"
        cls.addClassCleanup(cls.bazel.remove, cls.copy)
        shutil.copytree(ROOT, cls.copy, symlinks=True, ignore=left_out)

    def run_commands(self, part):
        done = self.bazel.run_in(self.copy, ["bash", "-ec", part.script], stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode != 0, part.is_to_fail(), part.script + done.stdout)
        if part.prints is not None:
            self.assertTrue(walk.is_printed(part.prints, done.stdout), part.script + done.stdout)

    def test_the_walk(self):
        begin = time.monotonic()
        done = self.bazel.run_in(self.copy, ["bazel", "build", *BUILT])
        self.assertEqual(done.returncode, 0, done.stderr)
        print("%6.1f s  what ./demo has built" % (time.monotonic() - begin), file=sys.stderr, flush=True)
        self.bazel.give_flags("--disk_cache=")
        seconds = {}
        for part in walk.parts(DOCUMENT.read_text()):
            begin = time.monotonic()
            self.run_commands(part)
            seconds[part.step] = seconds.get(part.step, 0) + time.monotonic() - begin
            print("%6.1f s  %s" % (seconds[part.step], part.script.splitlines()[0]), file=sys.stderr, flush=True)
        for step, taken in [*seconds.items(), ("all", sum(seconds.values()))]:
            print("%-52s %7.0f s" % (step, taken))
