"""Tests that Clang has no warnings either.

The build's own compiler is asked by `./test`, which makes its warnings errors.
Here Clang reads every source without generating code; what all of them include
it reads once. Where there is no Clang, or one that may warn of more than Debian
12's does, nothing is checked.

Usage: clang_test.py [MPI_COMPILER_WRAPPER]
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from source_tree import ROOT, files

WRAPPER = sys.argv.pop()
CLANG = shutil.which("clang++")
VERSION = "14"
FLAGS = ["-std=c++20", "-DNDEBUG", "-fno-pie", "-Wall", "-Wextra", "-Werror", "-I" + str(ROOT)]
# Headers of the standard library, and of libraries that take long to read.
COMMON = re.compile(r'^#include (?:<\w+>|[<"](?:CLI|absl|benchmark|gtest|nlohmann)/.*)', re.MULTILINE)


def mpi_flags(wrapper):
    """Returns the folders of an MPI's headers, as its compiler wrapper names them."""
    for option in ("--showme:compile", "-compile_info"):
        done = subprocess.run([wrapper, option], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode == 0:
            folders = [word[len("-I"):] for word in done.stdout.split() if word.startswith("-I")]
            return ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"] + ["-isystem" + f for f in folders]
    raise RuntimeError("%s does not say how it compiles" % wrapper)


def precompile(sources, folder, flags):
    """Returns flags with which the common headers of `sources` are not read again."""
    includes = {line for path in sources for line in COMMON.findall(path.read_text())}
    header = os.path.join(folder, "common.h")
    with open(header, "w") as out:
        out.write("\n".join(sorted(includes)) + "\n")
    # Templates are instantiated once, too: otherwise this would save nothing.
    subprocess.run([CLANG, "-x", "c++-header", "-fpch-instantiate-templates", header, "-o", header + ".pch"] + flags,
                   check=True)
    return ["-include-pch", header + ".pch"]


def warnings(source, flags):
    done = subprocess.run([CLANG, "-fsyntax-only", str(source)] + flags,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode != 0 else ""


class ClangTest(unittest.TestCase):
    def setUp(self):
        if CLANG is None:
            self.skipTest("clang++ is not installed: nothing was checked")
        version = subprocess.run([CLANG, "-dumpversion"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        if version.split(".")[0] != VERSION:
            self.skipTest("clang++ is %s, not %s: nothing was checked" % (version, VERSION))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_no_source_has_warnings(self):
        sources = sorted(files(suffixes={".cc"}))
        self.assertGreater(len(sources), 0)
        flags = FLAGS + mpi_flags(WRAPPER)
        flags += precompile(sources, self.folder, flags)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            found = "".join(pool.map(lambda source: warnings(source, flags), sources))
        self.assertEqual(found, "", "\n" + found)

    def test_warnings_are_seen(self):
        source = os.path.join(self.folder, "unused.cc")
        with open(source, "w") as out:
            out.write("static int unused;\n")
        self.assertIn("unused variable", warnings(source, FLAGS))
