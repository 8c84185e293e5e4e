#!/usr/bin/env python3
"""Counts passed and failed tests in Bazel's build event files.

Usage: summary.py DIRECTORY [COMMAND]

Reads DIRECTORY/*.json, each written by `bazel test --build_event_json_file`,
and the test.xml files that they name. A test that wrote no readable cases
counts as one. DIRECTORY/*.broken says that Bazel itself failed, which counts
as one failure. DIRECTORY/left_out has the labels of the tests that were not
asked for, one a line, and COMMAND runs these too. Prints what failed, what was
left out, then "N passed, M failed".
"""

import collections
import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


def cases(xml_path):
    """(passed names, failed names, skipped names) in one test.xml."""
    passed, failed, skipped = [], [], []
    for case in ElementTree.parse(xml_path).iter("testcase"):
        name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            skipped.append(name)
        elif case.get("status") != "notrun":
            passed.append(name)
    return passed, failed, skipped


def xml_of(result):
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            return urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
    return None


class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def add_result(self, label, result):
        """Adds one run of one test (one shard of it)."""
        ok = result["status"] == "PASSED"
        try:
            passed, failed, skipped = cases(xml_of(result))
        except (ElementTree.ParseError, OSError, TypeError):
            passed, failed, skipped = ([label] if ok else []), [], []
        if not ok and not failed:
            failed = [result["status"].lower()]
        self.passed += len(passed)
        self.failed += ["%s %s" % (label, name) for name in failed]
        self.skipped += ["%s %s" % (label, name) for name in skipped]

    def add_events(self, lines):
        """Adds a build event file; of several attempts the last one counts."""
        results, reported = {}, {}
        for line in lines:
            event = json.loads(line)
            if "testResult" in event:
                id_ = event["id"]["testResult"]
                results[(id_["label"], id_.get("run"), id_.get("shard"))] = event["testResult"]
            elif "testSummary" in event:
                label = event["id"]["testSummary"]["label"]
                reported[label] = event["testSummary"]["overallStatus"]
        for (label, _, _), result in sorted(results.items(), key=str):
            self.add_result(label, result)
        for label in sorted(set(reported) - {key[0] for key in results}):
            self.failed.append("%s %s" % (label, reported[label].lower()))


def left_out(directory, command):
    """Returns a line that says how many tests of which packages were left out; None if there are none."""
    path = pathlib.Path(directory) / "left_out"
    labels = path.read_text().split() if path.exists() else []
    if not labels:
        return None
    packages = collections.Counter(label.split(":")[0].removeprefix("//") for label in labels)
    return "left out: %d tests (%s); these too: %s" % (
        len(labels), ", ".join("%d of %s" % (n, package) for package, n in sorted(packages.items())), command.strip())


def main(directory, command="./test --thorough"):
    count = Count()
    for path in sorted(pathlib.Path(directory).glob("*.json")):
        with open(path) as lines:
            count.add_events(lines)
    for path in sorted(pathlib.Path(directory).glob("*.broken")):
        count.failed.append("bazel itself failed (%s)" % path.stem)
    if count.passed == 0 and not count.failed:
        count.failed.append("no test ran")
    for name in count.skipped:
        print("skipped: " + name)
    for name in count.failed:
        print("failed: " + name)
    rest = left_out(directory, command)
    if rest:
        print(rest)
    print("%d passed, %d failed" % (count.passed, len(count.failed)))
    return 1 if count.failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    sys.exit(main(*sys.argv[1:]))
