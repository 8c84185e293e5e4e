"""Tests mistakes that the compiler can see: its only words are Magpie's.

Usage: refused_test.py [COMPILER]    (else that of the build)
"""

import collections
import os
import platform
import re
import shutil
import sys
import unittest

from program_checks import folder_of, run
from source_tree import ROOT

COMPILER = sys.argv.pop(1) if sys.argv[1:] else os.environ.get("CXX", "c++")
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-I" + str(ROOT), "-fno-pie", "-fno-stack-protector",
         "-fcf-protection=none"]

# Flags that compile code which cannot migrate, by processor, and a part of the error.
NOT_FOR_TASKS = {
    "": [("-fpie", "PIE"), ("-fPIC", "PIE"), ("-fstack-protector-strong", "stack protector")],
    "x86_64": [("-fcf-protection=full", "shadow stack")],
    "aarch64": [("-mbranch-protection=standard", "branch protection")],
}

HEAD = """
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/fork_join/fork_join.h"
#include "common/fork_join/parallel.h"
#include "common/run/distributed_array.h"
#include "common/task_pool/async_any.h"

using namespace magpie;
"""

# What stands for several calls of both facades: a task is made, and a program is run.
CALLS = {
    "MAKE(": ["(void)spawn(", "add(", "add_at(1, "],
    "RUN(": ["run(0, nullptr, ", "run_pool(0, nullptr, "],
}
MEMBERS = "struct R %s { %s void operator()() const {} }; int f() { return RUN(R{}); }"
LARGE = "struct T { char bytes[193]; void operator()() const {} }; void f() { %s; }"
SUM = "double f() { return parallel_reduce(0, 9, 1, %s, [](int64_t i) -> %s { return i; }, %s); }"

# The words of each program's only error; None: it compiles.
PROGRAMS = {
    "a task's closure must be trivially copyable": [
        "void f(std::vector<int> v) { MAKE([v] {}); }",
        "int f(std::function<void()> g) { return RUN([g] { g(); }); }",
    ],
    "a task's result must be trivially copyable": [
        'void f() { spawn([] { return std::string("s"); }).join(); }',
        "int n; void f() { spawn([]() -> int& { return n; }).join(); }",
    ],
    "the identity's type is that of the result, and loses values of what is combined": [
        SUM % ("0", "double", "std::plus<>()"),
        SUM % ("0", "long", "std::plus<>()"),
        SUM % ("0.0", "double", "std::plus<int>()"),
        SUM % ("false", "bool", "std::plus<>()"),
    ],
    "the root task returns nothing or an exit status; see run_with_result": [
        "int f(int c, char** v) { return run(c, v, [] { return 1.5; }); }",
    ],
    "the result's type must be what the root task returns": [
        "int f() { int r; RunReport p; return run_with_result({}, [] { return 1.5; }, &r, &p); }",
    ],
    r"heap_bytes\(\) says how much .* prepare\(\) takes": [MEMBERS % ("", "size_t heap_bytes() const { return 8; }")],
    r"heap_bytes\(\) of a root task is public and const": [
        MEMBERS % ("", "size_t heap_bytes(int) const { return 8; } void prepare() {}"),
        MEMBERS % ("", "size_t heap_bytes() { return 8; } void prepare() {}"),
    ],
    r"prepare\(\) of a root task is public and called without arguments": [
        MEMBERS % ("", "void prepare(int) {}"),
        MEMBERS % ("", "private: void prepare() {} public:"),
    ],
    r"result_count\(\) of a root task is public and const": [
        "struct R { size_t result_count() { return 8; } void operator()() const {} };"
        "int f(int c, char** v) { double r[8]; return run_pool(c, v, R{}, r); }",
    ],
    "a future is to be joined or discarded": ["void f() { spawn([] { return 1; }); }"],
    "a task of a pool has at most 192 bytes": [LARGE % "add(T{})", LARGE % "add_at(1, T{})"],
    "asks for an alignment of at most 64": ["struct alignas(128) T { void operator()() const {} }; void f() { add(T{}); }"],
    "a task of a pool returns nothing": ["void f() { add([] { return 1; }); }"],
    "the root of a pool returns nothing": ["int f(int c, char** v) { return run_pool(c, v, [] { return 0; }); }"],
    "kTaskBytes is from 1 to 192": [
        "struct R { static constexpr int kTaskBytes = 193; void operator()() const {} };"
        "int f(int c, char** v) { return run_pool(c, v, R{}); }",
    ],
    "a task is an object that is called without arguments": [
        "struct N {}; void f() { MAKE(N{}); }",
        "void f() { spawn<2>([](int) {}).join(0); }",
        "struct N; void g(N*); void f() { add(g); }",
        "struct N {}; void f() { async_any(N{}); }",
        "struct N {}; void f() { cancelable_async_any(N{}); }",
        "struct N {}; void f() { static_async_any(1, {N{}, N{}}); }",
        "struct N {}; int f() { return RUN(N{}); }",
        "struct N {}; int f() { int r; return run_with_result({}, N{}, &r, nullptr); }",
    ],
    r"partial results are merged into a pool's result: it needs an operator \+= or a member merge": [
        "struct R { int n; }; int f(int c, char** v) { R r; return run_pool(c, v, [] {}, &r); }",
        "struct R { int n; }; void f() { merge(R{1}); }",
        "struct R { int n; }; void f() { merge_async_any(R{1}); }",
    ],
    "a pool's result must be trivially copyable": [
        "int f(int c, char** v) { std::string r; return run_pool(c, v, [] {}, &r); }",
    ],
    r"a pool's result begins as T\{\}": [
        "struct R { R(int n) : m(n) {} int m; void merge(const R&) {} };"
        "int f(int c, char** v) { R r(1); return run_pool(c, v, [] {}, &r); }",
    ],
    "elements of a DistributedArray are trivially copyable": ["DistributedArray<std::string> a;"],
    "a runtime says what it does with tasks: give the class": [
        'namespace magpie { struct R : RunsTasksLater { %s }; MAGPIE_FORK_JOIN_SEAM(R, "r") }'
        % " ".join("template <typename... A> static %s(A&&...);" % function for function in (
            "void spawn", "void join", "void discard", "void end_run", "int run", "const void* root_closure",
            "bool is_ending", "std::string flags_help")),
    ],
    None: [
        SUM % ("false", "bool", "std::logical_or<>()"),
        SUM % ("uint8_t{0}", "uint8_t", "std::plus<>()"),
        SUM % ("0.0", "int", "std::plus<>()"),
        "int g(); int f() { return spawn(g).join(); }",
        MEMBERS % ("final", "void prepare() {} size_t heap_bytes() const { return 8; }"),
        "struct B { void prepare() {} size_t heap_bytes() const { return 8; } };" + MEMBERS % (": B", ""),
        "int f() { int r; return run_with_result({}, [] { return 1; }, &r, nullptr)"
        "+ run_pool({}, [] {}, &r, nullptr); }",
        "struct T { char bytes[192]; void operator()() const { merge(1.5); } };"
        "int f(int c, char** v) { double r; return run_pool(c, v, [] { add(T{}); }, &r); }",
        "struct P { int a, b; }; int f(P p) { return spawn([p] { return p; }).join().b; }",
        "int f() { auto a = spawn([] { return 1; }); auto b = spawn([a] { return a; }); return b.join().join(); }",
    ],
}


def programs():
    """Yields (words, program), with each of the calls that a name in it stands for."""
    for words, programs in PROGRAMS.items():
        for program in programs:
            name = next((name for name in CALLS if name in program), "")
            yield from ((words, program.replace(name, call)) for call in CALLS.get(name, [""]))


def words_of(error):
    """The words of PROGRAMS that an error has; the error itself, if it has none of them."""
    return next((words for words in PROGRAMS if words and re.search(words, error)), error)


@unittest.skipUnless(shutil.which(COMPILER), COMPILER + " is not installed")
class RefusedTest(unittest.TestCase):
    def errors(self, programs):
        """What the compiler says of the programs, each in a namespace of its own."""
        source = folder_of(self) / "programs.cc"
        source.write_text(HEAD + "".join("namespace p%d {\n%s\n}\n" % part for part in enumerate(programs)))
        limit = "-ferror-limit=0" if "clang" in run(COMPILER, "--version")[1] else "-fmax-errors=0"
        return run(COMPILER, *FLAGS, limit, "-fsyntax-only", source)[2]

    def test_each_program_has_one_error(self):
        refused = [(words, program) for words, program in programs() if words]
        printed = self.errors(program for _, program in refused)
        self.assertEqual(collections.Counter(map(words_of, re.findall("error: .*", printed))),
                         collections.Counter(words for words, _ in refused), printed)

    def test_correct_programs_have_none(self):
        self.assertEqual(self.errors(program for words, program in programs() if words is None), "")

    def test_code_that_cannot_migrate(self):
        header = ROOT / "common/context/compiled.h"
        for flag, words in NOT_FOR_TASKS[""] + NOT_FOR_TASKS.get(platform.machine(), []):
            with self.subTest(flag):
                _, _, errors = run(COMPILER, *FLAGS, flag, "-fsyntax-only", "-x", "c++", header)
                self.assertRegex(errors, "error: [^\n]*" + words)
