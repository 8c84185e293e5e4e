"""What ./test asks of Bazel and what it installs for: of a copy of it, with a Bazel that only notes what it is asked."""

import os
import shutil
import unittest

from program_checks import folder_of, over, run
from source_tree import ROOT

NOTES = '#!/bin/bash\necho "${0##*/} $*" >> %s\n'
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
        tree = folder_of(self)
        notes = tree / "notes"
        for name in ("test", "tools/summary.py"):
            (tree / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        for name, script in (("third_party/setup.sh", NOTES % notes), ("bin/bazel", BAZEL % notes),
                             ("bin/gcc", "#!/bin/bash\necho %s\n" % compiler)):
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).write_text(script)
            (tree / name).chmod(0o755)
        environment = dict(os.environ, CC="gcc", PATH="%s:%s" % (tree / "bin", os.environ["PATH"]))
        status, output, errors = run(tree / "test", *arguments, env=environment)
        self.assertEqual(status, 0, errors)
        asked = [line for line in notes.read_text().splitlines() if not line.startswith("bazel test ")]
        return asked, output.splitlines()[-2:]

    @over("arguments, patterns", (([], ["//..."]), (["//x/..."], ["//x/..."]), (["--jobs=1"], ["--jobs=1", "//..."])))
    def test_some(self, arguments, patterns):
        asked, printed = self.asked(*arguments)
        self.assertEqual(asked[0], "setup.sh test")
        self.assertIn("tests(set(%s))" % patterns[-1], asked[1])
        self.assertEqual(asked[2:], ["bazel build %s --config=strict %s" % (FILTERS, " ".join(patterns))])
        command = " ".join(["./test --thorough"] + arguments)
        self.assertEqual(printed, ["left out: 1 tests (1 of a); these too: " + command, "1 passed, 0 failed"])

    @over("arguments, patterns", (([], "//..."), (["//x:y"], "//x:y"), (["//x:y", "--jobs=1"], "//x:y --jobs=1")))
    def test_thorough(self, arguments, patterns):
        asked, printed = self.asked(*arguments, "--thorough")
        self.assertEqual(asked, ["setup.sh thorough", "bazel build --config=strict " + patterns])
        self.assertEqual(printed[-1], "1 passed, 0 failed")
        self.assertNotIn("left out", printed[0])

    @over("compiler", ("12", "14.0.6", "13"))
    def test_warnings_are_errors_of_known_compilers(self, compiler):
        asked, _ = self.asked("--thorough", compiler=compiler)
        self.assertEqual("--config=strict" in asked[-1], compiler != "13")
