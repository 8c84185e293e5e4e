"""Tests that Clang has no warnings either.

The build's own compiler is asked by `./test`, which makes its warnings errors. Here Clang reads every source that is
no test, without generating code; what all of them include it reads once. Where there is no Clang, or one that may warn
of more than Debian 12's does, nothing is checked.

Usage: clang_test.py [MPI_COMPILER_WRAPPER]
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import unittest

import weight
from program_checks import folder_of, run
from source_tree import ROOT, files

WRAPPER = sys.argv.pop(1) if sys.argv[1:] else ""
CLANG = shutil.which("clang++")
VERSION = "14"
FLAGS = ["-std=c++20", "-DNDEBUG", "-fno-pie", "-Wall", "-Wextra", "-Werror", "-I" + str(ROOT)]
# Headers of the standard library, and of libraries that take long to read.
COMMON = re.compile(r'^#include (?:<\w+>|[<"](?:CLI|absl|benchmark|gtest|nlohmann)/.*)', re.MULTILINE)


def mpi_flags(wrapper):
    """Returns the folders of an MPI's headers, as its compiler wrapper names them."""
    for option in ("--showme:compile", "-compile_info"):
        status, output, _ = run(wrapper, option)
        if status == 0:
            folders = [word[len("-I"):] for word in output.split() if word.startswith("-I")]
            return ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"] + ["-isystem" + f for f in folders]
    raise RuntimeError("%s does not say how it compiles" % wrapper)


def precompile(sources, folder, flags):
    """Returns flags with which the common headers of `sources` are not read again."""
    includes = {line for path in sources for line in COMMON.findall(path.read_text())}
    header, made = folder / "common.h", folder / "common.h.pch"
    header.write_text("\n".join(sorted(includes)) + "\n")
    # Templates are instantiated once, too: otherwise this would save nothing.
    subprocess.run([CLANG, "-x", "c++-header", "-fpch-instantiate-templates", header, "-o", made] + flags, check=True)
    return ["-include-pch", made]


def warnings(source, flags):
    status, _, errors = run(CLANG, "-fsyntax-only", source, *flags, timeout=None)
    return errors if status != 0 else ""


class ClangTest(unittest.TestCase):
    def setUp(self):
        if CLANG is None:
            self.skipTest("clang++ is not installed: nothing was checked")
        version = run(CLANG, "-dumpversion")[1].strip()
        if version.split(".")[0] != VERSION:
            self.skipTest("clang++ is %s, not %s: nothing was checked" % (version, VERSION))
        self.folder = folder_of(self)

    def test_no_source_has_warnings(self):
        sources = sorted(path for path in files(suffixes={".cc"}) if not weight.is_test(path.relative_to(ROOT)))
        self.assertGreater(len(sources), 0)
        flags = FLAGS + mpi_flags(WRAPPER)
        flags += precompile(sources, self.folder, flags)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            found = "".join(pool.map(lambda source: warnings(source, flags), sources))
        self.assertEqual(found, "", "\n" + found)

    def test_warnings_are_seen(self):
        source = self.folder / "unused.cc"
        source.write_text("static int unused;\n")
        self.assertIn("unused variable", warnings(source, FLAGS))
