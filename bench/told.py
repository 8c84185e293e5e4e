"""What programs of //bench print, and how they refuse: for tests."""

import json
import subprocess


def run(*command):
    """(exit status, standard output, standard error)."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_refusals(test, cases):
    """Of each (command, words): status 2, nothing but one line with all the words."""
    for command, words in cases:
        with test.subTest(command=command):
            status, output, errors = run(*command)
            test.assertEqual((status, output, errors.count("\n")), (2, "", 1), errors)
            for word in words:
                test.assertIn(word, errors)
