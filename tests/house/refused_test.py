"""Tests mistakes that the compiler can see: its only words are Magpie's.

The build's own compiler is asked and, where it is at hand, Clang.
"""

import concurrent.futures
import os
import platform
import re
import shutil
import subprocess
import unittest

from program_checks import folder_of, run
from source_tree import ROOT

COMPILERS = [name for name in dict.fromkeys([os.environ.get("CXX", "c++"), "clang++"]) if shutil.which(name)]
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
#include <utility>
#include <vector>

#include "common/fork_join/fork_join.h"
#include "common/fork_join/parallel.h"
#include "common/run/distributed_array.h"
#include "common/task_pool/async_any.h"

using namespace magpie;
"""

CLOSURE = "a task's closure must be trivially copyable"
IDENTITY = "the identity's type is that of the result, and loses values of what is combined"
RESULT = "a task's result must be trivially copyable"
CALLED = "a task is an object that is called without arguments"
MERGED = r"partial results are merged into a pool's result: it needs an operator \+= or a member merge"
PREPARED = r"prepare\(\) of a root task is public and called without arguments"


def functions(result, names):
    """Declares functions of a seam with that result, and those that all seams have."""
    parts = [(result, name) for name in names.split()]
    parts += [("int", "run"), ("const void*", "root_closure"), ("bool", "is_ending"), ("std::string", "flags_help")]
    return " ".join("template <typename... A> static %s %s(A&&...);" % part for part in parts)


# The text of the program, and the words of the first error; None: it compiles.
PROGRAMS = {
    "vector in a closure": ("void f(std::vector<int> v) { spawn([v] {}).join(); }", CLOSURE),
    "string in a closure": ("void f(std::string s) { spawn([s] { return s.size(); }).join(); }", CLOSURE),
    "pair in a closure": ("void f(std::pair<int, int> p) { spawn([p] { return p.first; }).join(); }", CLOSURE),
    "string as a result": ('void f() { spawn([] { return std::string("s"); }).join(); }', RESULT),
    "pair as a result": ("void f() { spawn([] { return std::pair(1, 2); }).join(); }", RESULT),
    "reference as a result": ("int n; void f() { spawn([]() -> int& { return n; }).join(); }", RESULT),
    "sum of fractions in an int": (
        "double f() { return parallel_reduce(0, 9, 1, 0, [](int64_t) { return 0.5; }, std::plus<>()); }", IDENTITY),
    "sum of fractions by longs": (
        "long f() { return parallel_reduce(0, 9, 1, 0L, [](int64_t) { return 0.5; }, std::plus<long>()); }", IDENTITY),
    "sum of longs in an int": (
        "long f() { return parallel_reduce(0, 9, 1, 0, [](int64_t i) { return i; }, std::plus<>()); }", IDENTITY),
    "sum of doubles by ints": (
        "double f() { return parallel_reduce(0, 9, 1, 0.0, [](int64_t) { return 0.5; }, std::plus<int>()); }", IDENTITY),
    "sum of bools": (
        "bool f() { return parallel_reduce(0, 9, 1, false, [](int64_t) { return true; }, std::plus<>()); }", IDENTITY),
    "sum of ints in a byte": (
        "int f() { return parallel_reduce(0, 9, 1, int8_t{0}, [](int64_t) { return 100; }, std::plus<>()); }", IDENTITY),
    "whether any": (
        "bool f() { return parallel_reduce(0, 9, 1, false, [](int64_t) { return true; }, std::logical_or<>()); }", None),
    "sum of bytes": (
        "int f() { return parallel_reduce(0, 9, 1, uint8_t{0}, [](int64_t) { return uint8_t{1}; }, std::plus<>()); }", None),
    "sum of ints in a double": (
        "double f() { return parallel_reduce(0, 9, 1, 0.0, [](int64_t) { return 1; }, std::plus<>()); }", None),
    "vector in the root": ("int f(int c, char** v, std::vector<int> a) { return run(c, v, [a] {}); }", CLOSURE),
    "result of the root": ("int f(int c, char** v) { return run(c, v, [] { return 1.5; }); }",
                           "the root task returns nothing or an exit status; see run_with_result"),
    "another result": ("int f() { int r; RunReport p; return run_with_result({}, [] { return 1.5; }, &r, &p); }",
                       "the result's type must be what the root task returns"),
    "heap_bytes alone": ("struct R { size_t heap_bytes() const { return 8; } void operator()() const {} };"
                         "int f(int c, char** v) { return run(c, v, R{}); }",
                         r"heap_bytes\(\) says how much .* prepare\(\) takes"),
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
                                   r"heap_bytes\(\) says how much .* prepare\(\) takes"),
    "number as a task": ("void f() { spawn(3).join(); }", CALLED),
    "parameters of a task": ("void f() { spawn([](int n) { return n; }).join(); }", CALLED),
    "parameters of a shared task": ("void f() { spawn<2>([](int) {}).join(0); }", CALLED),
    "function object in a task": ("void f(std::function<void()> g) { spawn(g).join(); }", CLOSURE),
    "number as a root": ("int f(int c, char** v) { return run(c, v, 3); }", CALLED),
    "parameters of a root": ("int f(int c, char** v) { return run(c, v, [](int) {}); }", CALLED),
    "number as a root with a result": ("int f() { int r; return run_with_result({}, 3, &r, nullptr); }", CALLED),
    "function object as a root": ("int f(int c, char** v, std::function<void()> g) { return run(c, v, g); }", CLOSURE),
    "number as a pool's task": ("void f() { add(3); }", CALLED),
    "parameters of a pool's task": ("void f() { add([](int) {}); }", CALLED),
    "function as a pool's task": ("void g(); void f() { add(g); }", CALLED),
    "function object in a pool": ("void f(std::function<void()> g) { add(g); }", CLOSURE),
    "number as a task elsewhere": ("void f() { add_at(1, 3); }", CALLED),
    "number as a pool's root": ("int f(int c, char** v) { return run_pool(c, v, 3); }", CALLED),
    "parameters of a pool's root": ("int f(int c, char** v) { return run_pool(c, v, [](int) {}); }", CALLED),
    "result without a merge": ("struct R { int n; }; int f(int c, char** v) { R r; return run_pool(c, v, [] {}, &r); }",
                               MERGED),
    "text as a result": ("int f(int c, char** v) { std::string r; return run_pool(c, v, [] {}, &r); }",
                         "a pool's result must be trivially copyable"),
    "result without a beginning": ("struct R { R(int n) : m(n) {} int m; void merge(const R&) {} };"
                                   "int f(int c, char** v) { R r(1); return run_pool(c, v, [] {}, &r); }",
                                   r"a pool's result begins as T\{\}"),
    "merge without a merge": ("struct R { int n; }; void f() { merge(R{1}); }", MERGED),
    "merge of a pointer": ("void f(int* p) { merge(p); }", MERGED),
    "merge without a merge elsewhere": ("struct R { int n; }; void f() { merge_at(1, R{1}); }", MERGED),
    "prepare with parameters": ("struct R { void prepare(int) {} void operator()() const {} };"
                                "int f(int c, char** v) { return run(c, v, R{}); }", PREPARED),
    "prepare of its own": ("class R { void prepare() {} public: void operator()() const {} };"
                           "int f(int c, char** v) { return run(c, v, R{}); }", PREPARED),
    "prepare of a pool with parameters": ("struct R { void prepare(int) {} void operator()() const {} };"
                                          "int f(int c, char** v) { return run_pool(c, v, R{}); }", PREPARED),
    "heap_bytes with parameters": ("struct R { size_t heap_bytes(int) const { return 8; } void prepare() {}"
                                   "void operator()() const {} }; int f(int c, char** v) { return run(c, v, R{}); }",
                                   r"heap_bytes\(\) of a root task is public and const"),
    "heap_bytes that may write": ("struct R { size_t heap_bytes() { return 8; } void prepare() {}"
                                  "void operator()() const {} }; int f(int c, char** v) { return run(c, v, R{}); }",
                                  r"heap_bytes\(\) of a root task is public and const"),
    "constructs with a number": ("void f() { async_any(3); }", CALLED),
    "cancelable number": ("void f() { cancelable_async_any(3); }", CALLED),
    "numbers at a place": ("void f() { static_async_any(1, {3, 4}); }", CALLED),
    "constructs without a merge": ("struct R { int n; }; void f() { merge_async_any(R{1}); }", MERGED),
    "array of strings": ("DistributedArray<std::string> a;", "elements of a DistributedArray are trivially copyable"),
    "a function": ("int g(); int f() { return spawn(g).join(); }", None),
    "a root with its members": ("struct R final { void prepare() {} size_t heap_bytes() const { return 8; }"
                                "void operator()() const {} }; int f(int c, char** v) { return run(c, v, R{}); }",
                                None),
    "a root with members of a base": ("struct B { void prepare() {} size_t heap_bytes() const { return 8; } };"
                                      "struct R : B { void operator()() const {} };"
                                      "int f(int c, char** v) { return run_pool(c, v, R{}); }", None),
    "no report": ("int f() { int r; return run_with_result({}, [] { return 1; }, &r, nullptr)"
                  "+ run_pool({}, [] {}, &r, nullptr); }", None),
    "runtime without traits": ("namespace magpie { struct R : RunsTasksLater { %s }; MAGPIE_FORK_JOIN_SEAM(R, \"r\") }"
                               % functions("void", "spawn join discard end_run"),
                               "a runtime says what it does with tasks: give the class"),
    "a pool's task": ("struct T { char bytes[192]; void operator()() const { merge(1.5); } };"
                      "int f(int c, char** v) { double r; return run_pool(c, v, [] { add(T{}); }, &r); }", None),
    "a struct": ("struct P { int a, b; }; int f(P p) { return spawn([p] { return p; }).join().b; }", None),
    "a future": ("int f() { auto a = spawn([] { return 1; }); auto b = spawn([a] { return a; });"
                 "return b.join().join(); }", None),
}


class RefusedTest(unittest.TestCase):
    def setUp(self):
        self.folder = folder_of(self)
        self.flags = {compiler: FLAGS + self.precompiled(compiler) for compiler in COMPILERS}

    def precompiled(self, compiler):
        """Returns flags with which the headers of all programs are not read again."""
        name = self.folder / "head.h"
        name.write_text(HEAD)
        is_clang = "clang" in run(compiler, "--version")[1]
        made = "%s.%s" % (name, "pch" if is_clang else "gch")
        subprocess.run([compiler, *FLAGS, "-x", "c++-header", name, "-o", made], check=True)
        return ["-include-pch", made] if is_clang else ["-include", name]

    def errors(self, case):
        compiler, name = case
        # A file for each compiler: both read theirs at the same time.
        source = self.folder / ("%s_%s.cc" % (name.replace(" ", "_"), os.path.basename(compiler)))
        source.write_text(PROGRAMS[name][0] + "\n")
        return re.findall("error: .*", run(compiler, *self.flags[compiler], "-fsyntax-only", source)[2])

    def test_programs(self):
        cases = [(compiler, name) for name in PROGRAMS for compiler in COMPILERS]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (compiler, name), errors in zip(cases, pool.map(self.errors, cases)):
                words = PROGRAMS[name][1]
                with self.subTest(name, compiler=compiler):
                    if words is None:
                        self.assertEqual(errors, [])
                    else:
                        self.assertRegex("\n".join(errors), "^error: [^\n]*" + words)
                        self.assertEqual(len(errors), 1, errors)

    def test_code_that_cannot_migrate(self):
        header = ROOT / "common/context/compiled.h"
        for compiler in COMPILERS:
            for flag, words in NOT_FOR_TASKS[""] + NOT_FOR_TASKS.get(platform.machine(), []):
                with self.subTest(flag, compiler=compiler):
                    _, _, errors = run(compiler, *FLAGS, flag, "-fsyntax-only", "-x", "c++", header)
                    self.assertRegex(errors, "error: [^\n]*" + words)
