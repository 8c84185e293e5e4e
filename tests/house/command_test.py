"""What ./test asks of Bazel and what it installs for: of a copy of it, with a Bazel that only notes what it is asked."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from source_tree import ROOT

NOTES = '#!/bin/bash\necho "${0##*/} $*" >> %s\n'
# The compiler says that it is this one.
COMPILER = "#!/bin/bash\necho %s\n"
# In this run one test is left out, and one passes.
BAZEL = NOTES + """
[[ $1 == query ]] && echo //a:b
for argument in "$@"; do
  [[ $argument != --build_event_json_file=* ]] ||
    echo '{"id": {"testResult": {"label": "//c:d"}}, "testResult": {"status": "PASSED"}}' > "${argument#*=}"
done
exit 0
"""
FILTERS = "--build_tests_only --test_tag_filters=-thorough --build_tag_filters=-thorough"


class CommandTest(unittest.TestCase):
    def asked(self, *arguments, compiler="12"):
        """(what ./test ran, the last two lines that it printed)."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            notes = tree / "notes"
            for name in ("test", "tools/summary.py"):
                (tree / name).parent.mkdir(exist_ok=True)
                shutil.copy(ROOT / name, tree / name)
            for name, script in (("third_party/setup.sh", NOTES % notes), ("bin/bazel", BAZEL % notes),
                                 ("bin/gcc", COMPILER % compiler)):
                (tree / name).parent.mkdir(exist_ok=True)
                (tree / name).write_text(script)
                (tree / name).chmod(0o755)
            done = subprocess.run(
                [tree / "test"] + list(arguments), stdout=subprocess.PIPE, text=True, check=True,
                env=dict(os.environ, CC="gcc", PATH="%s:%s" % (tree / "bin", os.environ["PATH"])))
            asked = [line for line in notes.read_text().splitlines() if not line.startswith("bazel test ")]
            return asked, done.stdout.splitlines()[-2:]

    def test_some(self):
        for arguments, patterns in ([], ["//..."]), (["//x/..."], ["//x/..."]), (["--jobs=1"], ["--jobs=1", "//..."]):
            with self.subTest(arguments=arguments):
                asked, printed = self.asked(*arguments)
                self.assertEqual(asked[0], "setup.sh test")
                self.assertIn("tests(set(%s))" % patterns[-1], asked[1])
                self.assertEqual(asked[2:], ["bazel build %s --config=strict %s" % (FILTERS, " ".join(patterns))])
                command = " ".join(["./test --thorough"] + arguments)
                self.assertEqual(printed, ["left out: 1 tests (1 of a); these too: " + command, "1 passed, 0 failed"])

    def test_thorough(self):
        for arguments, patterns in ([], "//..."), (["//x:y"], "//x:y"), (["//x:y", "--jobs=1"], "//x:y --jobs=1"):
            with self.subTest(arguments=arguments):
                asked, printed = self.asked(*arguments, "--thorough")
                self.assertEqual(asked, ["setup.sh thorough", "bazel build --config=strict " + patterns])
                self.assertEqual(printed[-1], "1 passed, 0 failed")
                self.assertNotIn("left out", printed[0])

    def test_warnings_are_errors_of_known_compilers(self):
        for compiler, is_strict in ("12", True), ("14", True), ("14.0.6", True), ("13", False), ("16", False), ("19.1.7", False):
            with self.subTest(compiler=compiler):
                asked, _ = self.asked("--thorough", compiler=compiler)
                self.assertEqual("--config=strict" in asked[-1], is_strict)

    def test_distributions(self):
        """The script that makes a root for each: here only what it says of itself."""
        for arguments, status in ([], 2), (["--nonsense"], 2), (["--offline"], 2), (["--help"], 0):
            with self.subTest(arguments=arguments):
                done = subprocess.run([ROOT / "tests/distributions/run.sh"] + arguments, stdout=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, status)
                self.assertIn("Usage: tests/distributions/run.sh [--offline] RELEASE", done.stdout)
