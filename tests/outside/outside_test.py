"""Makes a repository of its own over this one, by the commands of docs/programs.md.

They are run as they stand there, with a Bazel of their own and nothing in its
caches; only their folder is another, and Bazel does not optimize.
"""

import pathlib
import unittest

from own_bazel import OwnBazel

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "../mine"
# Rules of this repository that others use in their BUILD files.
RULES = """
load("@magpie//common/testing:run.bzl", "run_test")
load("@magpie//common/testing:spmd.bzl", "spmd_test")
load("@magpie//third_party/mpi:defs.bzl", "mpi_test")

spmd_test(name = "spmd", srcs = ["neighbours.cc"], deps = [])
network_binaries(name = "mine", testonly = 1, deps = [":neighbours", "@magpie//tests/fork_join:scenarios"])
run_test(name = "mine_test", programs = ["@magpie//tests/fork_join:conformance", ":mine_shm"])
mpi_test(name = "mpi_test", binary = ":fib_shm", ranks = 2)
"""
# The same for the pool.
POOL_RULES = """
load("@magpie//common/testing:run.bzl", "run_test")

network_binaries(name = "pool", testonly = 1, deps = [":own_pool", "@magpie//tests/task_pool:scenarios"])
run_test(name = "pool_test", programs = [":pool_shm"], flags = ["--ranks=3"])
"""
# Lines of WORKSPACE before magpie_deps().
REPLACEMENT = '''
new_local_repository(name = "cli11", path = "hello", build_file_content = """
cc_library(name = "cli11", visibility = ["//visibility:public"])

filegroup(name = "replacement")
""")
'''


def commands():
    """Returns the block of the document that makes the folder."""
    lines = (ROOT / "docs" / "programs.md").read_text().splitlines()
    first = lines.index("    magpie=$PWD")
    last = next(i for i in range(first, len(lines)) if not lines[i])
    return lines[first:last]


class OutsideTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        bazel = OwnBazel("--compilation_mode=fastbuild")
        cls.run_in = bazel.run_in
        cls.mine = bazel.folder / "mine"
        cls.addClassCleanup(bazel.remove, cls.mine)

    def test_commands_of_the_document(self):
        script = "\n".join(commands())
        self.assertEqual(script.count(FOLDER), 2)
        done = self.run_in(ROOT, ["bash", "-ec", script.replace(FOLDER, str(self.mine))])
        self.assertEqual((done.returncode, done.stdout), (0, "832040\n832040\n724\n"), done.stderr)
        for folder, rules in (("my_runtime", RULES), ("my_pool", POOL_RULES)):
            with open(self.mine / folder / "BUILD", "a") as build:
                build.write(rules)
        # Builds the program alone, as if magpie.bazelrc were not imported.
        for flag in ("-fstack-protector", "-std=c++17"):
            with self.subTest(flag=flag):
                changed = "--per_file_copt=hello/fib.cc@" + flag
                done = self.run_in(self.mine, ["bazel", "build", changed, "//hello:fib_shm"])
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("import magpie.bazelrc", done.stderr)
        # Nothing is compiled again. Where Bazel reads WORKSPACE a library comes from elsewhere.
        workspace = self.mine / "WORKSPACE"
        workspace.write_text(REPLACEMENT + workspace.read_text())
        replaced = [] if (self.mine / "MODULE.bazel.lock").exists() else ["@cli11//:replacement"]
        done = self.run_in(self.mine, ["bazel", "build", "--config=asan", "--config=ubsan", "--nobuild", "//...", *replaced])
        self.assertEqual(done.returncode, 0, done.stderr)
