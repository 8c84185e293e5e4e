"""What there is to read: the files behind one mechanism, and the tree as a whole.

`tests/house/weight.py` prints both; house_test.py holds them to the limits below.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from source_tree import ROOT, files

# Files from which a reader of one mechanism starts, and the most files and lines that they lead to.
READINGS = {
    "spawn to join (cluster22)": (
        ["impl/greedy_join/greedy_join.h", "impl/greedy_join/local_collection.h", "impl/uniaddr/threads.h",
         "impl/uniaddr/the_queue.h", "common/fork_join/thread_runtime.h", "common/stealing/victim_selection.h"],
        18, 2870,
    ),
    "a task pool (icpp21)": (
        ["impl/sws_queue/sws_queue.h", "common/task_pool/bag.h", "common/task_pool/steal_when_dry.h"], 13, 2000,
    ),
    "cooperative lifelines (hybrid_glb_apgas18, 2.2)": (["impl/glb_lifeline/cooperative.h"], 9, 1375),
    "hybrid lifelines (hybrid_glb_apgas18, 4)": (["impl/glb_lifeline/manager.h", "impl/glb_lifeline/worker.h"], 13, 1960),
}
# Rooms of the mechanisms. What lies below them, the network, a run, flags, traces, a task's closure, is a page of its
# package's README to their readers.
ROOMS = ("impl/", "common/fork_join/", "common/remote_heap/", "common/stealing/", "common/task_pool/")

# The most lines of C++ that are no tests, of tests without their BUILD files, and of all files that people write, and
# words of documents.
PRODUCT_LINES = 32840
TEST_LINES = 27620
LINES = 75250
WORDS = 39760


def reading(roots):
    """The files that `roots` include, directly or not, in ROOMS: {path: lines}."""
    seen = {}
    waiting = list(roots)
    while waiting:
        path = waiting.pop()
        if path in seen or not path.startswith(ROOMS):
            continue
        text = (ROOT / path).read_text()
        seen[path] = len(text.splitlines())
        waiting += re.findall(r'^#include "([^"]+)"', text, re.M)
    return seen


def is_test(path):
    """Tests are what lies in tests/, the suites of concepts, and what both are made of."""
    return bool(re.search(r"^tests/|_test\.|suite|\btesting\b", str(path)))


def weight():
    """Lines of C++ that are no tests, of tests, of everything, and words of documents; without records and pictures."""
    product = tests = lines = words = 0
    for path in files():
        path = path.relative_to(ROOT)
        if path.suffix in (".json", ".jsonl", ".svg", ".png", ".cff"):
            continue
        text = (ROOT / path).read_text(errors="ignore")
        count = len(text.splitlines())
        lines += count
        product += count if path.suffix in (".h", ".cc", ".S") and not is_test(path) else 0
        tests += count if is_test(path) and path.suffix not in ("", ".md") else 0
        words += len(text.split()) if path.suffix == ".md" else 0
    return product, tests, lines, words


def main():
    for name, (roots, most_files, most_lines) in READINGS.items():
        found = reading(roots)
        print("%s: %d files (at most %d), %d lines (at most %d)"
              % (name, len(found), most_files, sum(found.values()), most_lines))
        if "--files" in sys.argv:
            for path, lines in sorted(found.items()):
                print("    %4d %s" % (lines, path))
    print("the tree: %d lines of C++ that are no tests (at most %d), %d of tests (at most %d), %d lines (at most %d), "
          "%d words of documents (at most %d)"
          % tuple(n for pair in zip(weight(), (PRODUCT_LINES, TEST_LINES, LINES, WORDS)) for n in pair))


if __name__ == "__main__":
    main()
