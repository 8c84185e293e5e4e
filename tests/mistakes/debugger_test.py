"""gdb prints the stacks of stolen threads up to their end.

Usage: debugger_test.py PROGRAM
"""

import re
import shutil
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()


@unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
class DebuggerTest(unittest.TestCase):
    def test_stacks_of_stolen_threads_end(self):
        ran = subprocess.run([PROGRAM, "--ranks=3"], capture_output=True, text=True)
        output = ran.stdout + ran.stderr
        self.assertEqual(ran.returncode, 0, output)
        frames = re.findall(r"^#.*", output, re.MULTILINE)
        self.assertTrue([frame for frame in frames if "look()" in frame], output)
        # The root's first frame, or the end of a thread whose parent has been stolen.
        self.assertRegex(frames[-1], r"0x0+ in \?\? \(\)|magpie_context_start_on_stack")
        for wrong in "Backtrace stopped", "Cannot access", "gdb failed":
            self.assertNotIn(wrong, output)
