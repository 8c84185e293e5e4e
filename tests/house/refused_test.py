#!/usr/bin/env python3
"""Mistakes that the compiler can see: its first words are ours."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from source_tree import ROOT

COMPILER = os.environ.get("CXX", "c++")
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I" + str(ROOT)]

HEAD = """
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/fork_join/fork_join.h"
#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"

using namespace magpie;
"""

CLOSURE = "a task's closure must be trivially copyable"
RESULT = "a task's result must be trivially copyable"

# What stands in the program, and what the first error says; None: it compiles.
PROGRAMS = {
    "vector in a closure": ("void f(std::vector<int> v) { spawn([v] {}).join(); }", CLOSURE),
    "string in a closure": ("void f(std::string s) { spawn([s] { return s.size(); }).join(); }", CLOSURE),
    "pair in a closure": ("void f(std::pair<int, int> p) { spawn([p] { return p.first; }).join(); }", CLOSURE),
    "string as a result": ('void f() { spawn([] { return std::string("s"); }).join(); }', RESULT),
    "pair as a result": ("void f() { spawn([] { return std::pair(1, 2); }).join(); }", RESULT),
    "reference as a result": ("int n; void f() { spawn([]() -> int& { return n; }).join(); }", RESULT),
    "vector in the root": ("int f(int c, char** v, std::vector<int> a) { return run(c, v, [a] {}); }", CLOSURE),
    "result of the root": ("int f(int c, char** v) { return run(c, v, [] { return 1.5; }); }",
                           "the root task returns nothing or an exit status; see run_with_result"),
    "another result": ("int f() { int r; RunReport p; return run_with_result({}, [] { return 1.5; }, &r, &p); }",
                       "the result's type must be what the root task returns"),
    "heap_bytes alone": ("struct R { size_t heap_bytes() const { return 8; } void operator()() const {} };"
                         "int f(int c, char** v) { return run(c, v, R{}); }",
                         r"heap_bytes\(\) is what prepare\(\) takes"),
    "forgotten future": ("void f() { spawn([] { return 1; }); }", "a future is to be joined or discarded"),
    "vector in a pool's task": ("void f(std::vector<int> v) { add([v] {}); }", CLOSURE),
    "vector in a pool's root": ("int f(int c, char** v, std::vector<int> a) { return run_pool(c, v, [a] {}); }",
                                CLOSURE),
    "large task of a pool": ("struct T { char bytes[193]; void operator()() const {} }; void f() { add(T{}); }",
                             "a task of a pool has at most 192 bytes"),
    "large task elsewhere": ("struct T { char bytes[193]; void operator()() const {} }; void f() { add_at(1, T{}); }",
                             "a task of a pool has at most 192 bytes"),
    "aligned task of a pool": ("struct alignas(128) T { void operator()() const {} }; void f() { add(T{}); }",
                               "asks for an alignment of at most 64"),
    "result of a pool's task": ("void f() { add([] { return 1; }); }", "a task of a pool returns nothing"),
    "result of a pool's root": ("int f(int c, char** v) { return run_pool(c, v, [] { return 0; }); }",
                                "the root of a pool returns nothing"),
    "large kTaskBytes": ("struct R { static constexpr int kTaskBytes = 193; void operator()() const {} };"
                         "int f(int c, char** v) { return run_pool(c, v, R{}); }", "kTaskBytes is from 1 to 192"),
    "heap_bytes alone in a pool": ("struct R { size_t heap_bytes() const { return 8; } void operator()() const {} };"
                                   "int f(int c, char** v) { return run_pool(c, v, R{}); }",
                                   r"heap_bytes\(\) is what prepare\(\) takes"),
    "runtime without traits": ("namespace magpie { struct R {}; MAGPIE_FORK_JOIN_SEAM(R) }",
                               "a runtime says what it does with tasks: give the class"),
    "pool without traits": ("namespace magpie { struct P {}; MAGPIE_TASK_POOL_SEAM(P) }",
                            "a pool says what it does with tasks: give the class"),
    "a pool's task": ("struct T { char bytes[192]; void operator()() const { merge(1.5); } };"
                      "int f(int c, char** v) { double r; return run_pool(c, v, [] { add(T{}); }, &r); }", None),
    "a struct": ("struct P { int a, b; }; int f(P p) { return spawn([p] { return p; }).join().b; }", None),
    "a future": ("int f() { auto a = spawn([] { return 1; }); auto b = spawn([a] { return a; });"
                 "return b.join().join(); }", None),
}


class RefusedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def first_error(self, case):
        name, (program, _) = case
        source = os.path.join(self.folder, name.replace(" ", "_") + ".cc")
        with open(source, "w") as out:
            out.write(HEAD + program + "\n")
        done = subprocess.run([COMPILER, *FLAGS, source], capture_output=True, text=True)
        return re.search("error: .*|$", done.stderr)[0]

    def test_programs(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (name, (_, words)), error in zip(PROGRAMS.items(), pool.map(self.first_error, PROGRAMS.items())):
                with self.subTest(name):
                    if words is None:
                        self.assertEqual(error, "")
                    else:
                        self.assertRegex(error, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
