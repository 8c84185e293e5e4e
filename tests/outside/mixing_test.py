"""docs/mixing.md, walked: its files are written, its commands are run, and what they print is compared.

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
        cls.seconds = {}

    def write(self, part):
        path = self.copy / part.name
        self.assertEqual(path.parent, self.copy / FOLDER)
        self.assertFalse(path.exists(), "is written twice: " + part.name)
        path.write_text(part.text)

    def run_commands(self, part):
        done = self.bazel.run_in(self.copy, ["bash", "-ec", part.script], stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode != 0, part.is_to_fail(), part.script + done.stdout)
        if part.prints is not None:
            self.assertTrue(walk.is_printed(part.prints, done.stdout), part.script + done.stdout)

    def walk_through(self, parts):
        for part in parts:
            begin = time.monotonic()
            if isinstance(part, walk.File):
                self.write(part)
            else:
                self.run_commands(part)
            self.seconds[part.step] = self.seconds.get(part.step, 0) + time.monotonic() - begin
            print("%6.1f s  %s" % (time.monotonic() - begin, part.name if isinstance(part, walk.File)
                                   else part.script.splitlines()[0]), file=sys.stderr, flush=True)

    def every_file_is_compiled(self, parts):
        done = self.bazel.run_in(self.copy, ["bazel", "query", "labels(srcs, //{0}:all) + labels(hdrs, //{0}:all)".format(FOLDER)])
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in parts:
            if isinstance(part, walk.File) and part.name != FOLDER + "/BUILD":
                self.assertIn("//%s:%s" % (FOLDER, pathlib.Path(part.name).name), done.stdout.split())

    def print_times(self):
        print("%-52s seconds" % "step")
        for step, seconds in [*self.seconds.items(), ("all", sum(self.seconds.values()))]:
            print("%-52s %7.0f" % (step, seconds))

    def test_the_walk(self):
        parts = walk.parts(DOCUMENT.read_text())
        begin = time.monotonic()
        done = self.bazel.run_in(self.copy, ["bazel", "build", *BUILT])
        self.assertEqual(done.returncode, 0, done.stderr)
        print("%6.1f s  what ./demo has built" % (time.monotonic() - begin), file=sys.stderr, flush=True)
        self.bazel.give_flags("--disk_cache=")
        self.walk_through(parts)
        self.bazel.give_flags("")
        self.every_file_is_compiled(parts)
        self.print_times()
