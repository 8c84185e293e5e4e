"""Tests of the repository as a whole: its layers, its documents, its files.

Asks a Bazel of its own about the source tree that the test was started from.
"""

import functools
import itertools
import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import arrows
import documents
import weight
from program_checks import folder_of, over, run
from source_tree import HERE, ROOT, files

OUR_PACKAGES = ["//:all"] + ["//%s/..." % layer for layer in arrows.LAYERS if any((ROOT / layer).rglob("BUILD"))]
DOCUMENTS = sorted(files(suffixes={".md"}))
MAX_LINES = 450
# Folder that a reader of docs/mixing.md makes: tests/outside/mixing_test.py uses its names as they stand there.
MADE = "mine"
# Folders that a reader of the documents makes as copies of others.
COPIES = {"hello": "examples/fib", "my_runtime": "examples/neighbours", "my_pool": "examples/own_pool"}
# Flags in documents that no file here reads: those of Slurm and of containers, and one that is made up.
OTHERS_FLAGS = {"--cpu-bind", "--cpus-per-task", "--kill-on-bad-exit", "--ntasks-per-node",
                "--privileged", "--security-opt", "--box_bytes"}
# Split, so that this file does not contain them.
MACHINE_PATH = re.compile("/wo" r"rk/|/ho" r"me/\w|/ro" r"ot/")
UNFINISHED = re.compile(r"\b(TO" "DO|FIX" "ME|XX" r"X)\b")


@functools.lru_cache(maxsize=None)
def query_or_why():
    """All rules, {label: [labels of its direct inputs]}; or what Bazel says where it fails."""
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, HOME=directory)
        # It lives for seconds, in which code that is compiled well does not pay.
        bazel = ["bazel", "--output_user_root=" + directory, "--host_jvm_args=-XX:TieredStopAtLevel=1"]
        status, output, errors = run(*bazel, "--batch", "query", " + ".join(OUR_PACKAGES), "--output=xml",
                                     "--noimplicit_deps", cwd=ROOT, env=environment, timeout=None)
        run("chmod", "-R", "u+w", directory)
    if status != 0:
        return errors
    # XML 1.1 is only a matter of the header here.
    text = output.replace('version="1.1"', 'version="1.0"', 1)
    return {rule.get("name"): [used.get("name") for used in rule.iter("rule-input")]
            for rule in ElementTree.fromstring(text).iter("rule")}


def query():
    rules = query_or_why()
    assert isinstance(rules, dict), rules
    return rules


def rules_not_loaded(text):
    """Rules of Bazel's that a file uses and does not load: Bazel 9 has none of them built in."""
    loaded = " ".join(re.findall(r"\bload\(([^)]*)\)", text))
    used = re.findall(r"^ *(native\.)?((?:cc|sh)_(?:binary|library|test|toolchain))\(", text, re.MULTILINE)
    return sorted({rule for native, rule in used if native or '"%s"' % rule not in loaded})


class ArrowsTest(unittest.TestCase):
    def test_no_arrow_points_up(self):
        edges = [(user, used) for user, inputs in query().items() for used in inputs]
        self.assertGreater(len(edges), 0)
        self.assertEqual(arrows.violations(edges), [])

    @over("user, used", [
        ("//common/fork_join:fork_join", "//impl/uniaddr:uniaddr"),
        ("//common/fork_join:fork_join_test", "//:serial"),
        ("//impl/greedy_join:greedy_join", "//:cont_greedy"),
        ("//impl/greedy_join:greedy_join", "//impl/uniaddr:uniaddr"),
        ("//examples/fib:fib_shm", "//bench:programs"),
        ("//common/rma/shm:shm", "//common/context:context"),
        ("//common/stealing:stealing", "//common/fork_join:fork_join"),
        ("//common/flags:flags", "//elsewhere:x"),
    ])
    def test_breaches_are_seen(self, user, used):
        self.assertEqual(len(arrows.violations([(user, used)])), 1)

    @over("document", DOCUMENTS)
    def test_labels_in_readmes_exist(self, document):
        text = re.sub(r"(//|bazel-bin/)%s[:/]\w+" % MADE, "", document.read_text())
        for copy, original in COPIES.items():
            text = text.replace("//%s:" % copy, "//%s:" % original)
        # Rules only; neither patterns (:all) nor files (:defs.bzl).
        labels = re.findall(r"(?<![\w:@/])//[\w/]*:(?!all\b)\w+\b(?!\.\w)", text)
        labels += map("//%s:%s".__mod__, re.findall(r"bazel-bin/([\w/]*?)/?(\w+)(?![\w/])", text))
        self.assertEqual(set(labels) - set(query()), set())


class DocumentsTest(unittest.TestCase):
    def excerpts(self):
        """(document, files that it may be from, block of code)."""
        for path in DOCUMENTS:
            for paragraph, block in documents.blocks(path.read_text()):
                sources = documents.sources(paragraph, path.parent)
                if sources:
                    yield path, [source.resolve() for source in sources], block

    def test_code_stands_in_the_files_that_are_named(self):
        for document, sources, block in self.excerpts():
            with self.subTest(document=document, block=block):
                self.assertTrue(any(documents.is_excerpt(block, source.read_text()) for source in sources))

    def test_every_example_is_shown(self):
        shown = {source for _, sources, _ in self.excerpts() for source in sources}
        for path in files("examples", suffixes={".cc"}):
            self.assertTrue(path in shown or path.stem.endswith("_test"), path)

    def test_the_facade_begins_with_an_example(self):
        header = (ROOT / "common/fork_join/fork_join.h").read_text().splitlines()
        comment = itertools.takewhile(lambda line: line.startswith("//"), header)
        _, block = next(documents.blocks("\n".join(re.sub("^  ", "    ", line[len("// "):]) for line in comment)))
        self.assertIn("spawn", block)
        self.assertTrue(documents.is_excerpt(block, (ROOT / "examples/fib/fib.cc").read_text()))

    def test_other_code_is_seen(self):
        source = "int a;\n\nint b;\nint c;  // d\n"
        for block, same in [
            ("int a;", True),
            ("int a;\n\nint c; // d", True),
            ("int b;\nint c;  // d", True),
            ("int a;\nint b;\nint c;  // d", True),
            ("int c;", False),
            ("nt a;", False),
            ("int a;\nint c;  // d", False),
            ("int b;\n\nint a;", False),
            ("int a;\n\nint a;", False),
        ]:
            with self.subTest(block=block):
                self.assertEqual(documents.is_excerpt(block, source), same)
        markdown = "text\n[a](house_test.py):\n\n    x\n\n      y\n\nmore:\n```\nz\n```\n"
        self.assertEqual(list(documents.blocks(markdown)),
                         [("text [a](house_test.py):", "x\n\n  y\n"), ("more:", "z")])
        self.assertEqual(documents.sources("text [a](house_test.py):", HERE), [HERE / "house_test.py"])
        self.assertEqual(documents.sources("text [a](house_test.py).", HERE), [])


class NamesInDocumentsTest(unittest.TestCase):
    @over("document", DOCUMENTS)
    def test_links_lead_somewhere(self, document):
        self.assertEqual(documents.broken_links(document), [])

    def test_flags_are_read_somewhere(self):
        read = set().union(*(documents.flags(path.read_text(errors="replace")) for path in files()
                             if path.suffix not in (".md", ".json")))
        for document in DOCUMENTS:
            with self.subTest(document=document):
                self.assertEqual(documents.flags(document.read_text()) - read - OTHERS_FLAGS, set())

    def test_files_are_there(self):
        there = ["/" + str(path.relative_to(ROOT)) for path in files()]
        for document in DOCUMENTS:
            with self.subTest(document=document):
                self.assertEqual([name for name in documents.named_files(document.read_text())
                                  if not name.startswith(MADE + "/") and
                                  not any(each.endswith("/" + name) for each in there)], [])

    @over("document", DOCUMENTS)
    def test_tables_are_whole(self, document):
        self.assertEqual(documents.broken_tables(document.read_text()), [])

    def test_titles_differ(self):
        titles = [next(documents.prose(document.read_text())) for document in DOCUMENTS]
        self.assertEqual(sorted(titles), sorted(set(titles)))

    def test_the_demo_shows_the_whole_menu(self):
        menu = {path.stem for path in (ROOT / "runtimes").glob("*.cc")}
        listed = run(sys.executable, ROOT / "bench/demo/main.py", "--targets", "--no_plots")[1]
        self.assertEqual({"//bench:" + name for name in menu}, set(listed.split()))
        shown = {line.split()[0] for paragraph, block in documents.blocks((ROOT / "README.md").read_text())
                 if "`./demo`" in paragraph for line in block.splitlines() if line}
        self.assertEqual(menu - shown, set())

    def test_functions_in_the_readme_are_those_of_the_facades(self):
        facades = "".join((ROOT / "common" / header).read_text() for header in (
            "fork_join/fork_join.h", "fork_join/parallel.h", "task_pool/task_pool.h", "task_pool/async_any.h"))
        boxes = [block for _, block in documents.blocks((ROOT / "README.md").read_text()) if block.startswith("run")]
        self.assertEqual(len(boxes), 2)
        called = re.compile(r"\b(\w+)(?:<\w+>)?\(")
        names = {name for box in boxes for name in called.findall(re.sub("//.*", "", box))} - {"f"}
        self.assertEqual({name for name in names if not re.search(r"\b%s\(" % name, facades)}, set())

    def test_broken_names_are_seen(self):
        markdown = "# A (b), `c_d`\n\n[x](#a-b-c_d) [y](#e) [z](no/such) [w](BUILD) [v](https://x/y)\n"
        path = folder_of(self) / "README.md"
        path.write_text(markdown)
        path.with_name("BUILD").write_text("")
        self.assertEqual(documents.broken_links(path), ["#e", "no/such"])
        self.assertEqual(documents.flags("`--a_b=1`, --c, a--d, ---"), {"--a_b", "--c"})
        self.assertEqual(documents.named_files("`a.h` `./b/c.py` `d` e.h\n\n    `f.h`\n"), {"a.h", "b/c.py"})
        head = "| a | b |\n|---|---|\n"
        self.assertEqual(documents.broken_tables(head + "| `x|y` | d |\n\n" + head + "| e |\n\n| f | g |\n"),
                         ["| e |", "| f | g |"])


class FilesTest(unittest.TestCase):
    """Tests the files for a reader: short, without paths of one machine, nothing unfinished."""

    def test_rules_are_loaded(self):
        for path in files():
            if path.name == "BUILD" or path.suffix in (".bzl", ".BUILD"):
                self.assertEqual(rules_not_loaded(path.read_text()), [], path)
        load = 'load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")\n'
        for text, names in ("cc_test(\n", ["cc_test"]), (load + "cc_test(\n", []), (load + "[\n    cc_binary(", ["cc_binary"]), (
                load + "    native.cc_test(", ["cc_test"]):
            with self.subTest(text=text):
                self.assertEqual(rules_not_loaded(text), names)

    def test_readings_are_short(self):
        for name, (roots, most_files, most_lines) in weight.READINGS.items():
            with self.subTest(reading=name):
                found = weight.reading(roots)
                self.assertLessEqual(len(found), most_files, sorted(found))
                self.assertLessEqual(sum(found.values()), most_lines)

    def test_the_tree_grows_no_heavier(self):
        product, tests, lines, words = weight.weight()
        self.assertLessEqual(product, weight.PRODUCT_LINES, "lines of C++ that are no tests")
        self.assertLessEqual(tests, weight.TEST_LINES, "lines of tests")
        self.assertLessEqual(lines, weight.LINES, "lines of all files")
        self.assertLessEqual(words, weight.WORDS, "words of documents")

    def test_files_are_short(self):
        for path in files("common", "impl", "runtimes", "examples", "bench", "tools"):
            # Recorded results, and what is drawn and written from them.
            if path.suffix in (".json", ".svg") or path.name == "PAPERS.md":
                continue
            with self.subTest(file=path):
                self.assertLessEqual(len(path.read_text().splitlines()), MAX_LINES)

    def test_no_paths_of_one_machine_and_nothing_unfinished(self):
        for path in files():
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                for pattern in (MACHINE_PATH, UNFINISHED):
                    if pattern.search(line):
                        self.fail("%s:%d: %s" % (path.relative_to(ROOT), number, line.strip()))

    def test_every_package_has_a_readme(self):
        for layer in ("common", "impl"):
            for build in (ROOT / layer).glob("*/BUILD"):
                self.assertTrue((build.parent / "README.md").is_file(), build)

    def test_scripts_explain_themselves_and_refuse_nonsense(self):
        for script, nonsense in (("demo", ["--no-such"]), ("third_party/setup.sh", ["no-such"]),
                                 ("tools/summary.py", []), ("bench/peers/build.sh", [])):
            with self.subTest(script=script):
                status, output, _ = run(ROOT / script, "--help")
                self.assertEqual(status, 0)
                self.assertIn("Usage", output)
                self.assertEqual(run(ROOT / script, *nonsense)[0], 2)
        self.assertEqual(run(ROOT / "test", "--help")[0], 0)
