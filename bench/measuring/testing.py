"""What the tests of bench/measure.py share. The programs lie in the folder bench, from where tests are run."""

import json
import pathlib
import tempfile

import measure
from program_checks import run_main

BENCH = pathlib.Path(__file__).resolve().parent.parent


def printed(*arguments):
    status, output, errors = run_main(measure.main, *arguments)
    # A target that is missed gives status 1, too.
    assert status == ("| missed |" in output), errors
    return output


def kept(*arguments):
    with tempfile.NamedTemporaryFile("r") as file:
        output = printed(*arguments, "--out=" + file.name)
        return output, json.loads(pathlib.Path(file.name).read_text())


def cells_of(table):
    """The rows of all tables in what is printed, without their heads."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    heads = {at + step for at, row in enumerate(rows) if set(row) == {"---"} for step in (-1, 0)}
    return [row for at, row in enumerate(rows) if at not in heads]


def ended(test, status, words, *arguments):
    """Checks that a subcommand ends with a status, and one line of words on stderr where the status is 2."""
    with test.subTest(arguments):
        found, _, said = run_main(measure.main, *arguments)
        test.assertEqual(found, status)
        test.assertIn(words, said)
        if status == 2:
            test.assertEqual(said.count("\n"), 1)
            test.assertTrue(said.startswith("measure.py"), said)
