"""What the tests of bench/measure.py share. The programs lie in the folder bench, from where tests are run."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCH), str(BENCH / "published")]
import measure


def printed(*arguments):
    """What a subcommand prints."""
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()):
        measure.main(list(arguments))
    return output.getvalue()


def kept(*arguments):
    """What a subcommand prints, and what it writes into --out's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.json")
        output = printed(*arguments, "--out=" + path)
        return output, json.loads(pathlib.Path(path).read_text())


def cells_of(table):
    """The rows of all tables in what is printed, without their heads."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    heads = {at + step for at, row in enumerate(rows) if set(row) == {"---"} for step in (-1, 0)}
    return [row for at, row in enumerate(rows) if at not in heads]


def ended(test, status, words, *arguments):
    """Checks that a subcommand ends with a status, and one line of words on stderr where the status is 2."""
    with test.subTest(arguments):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors, \
                test.assertRaises(SystemExit) as end:
            measure.main(list(arguments))
        code = end.exception.code
        found, said = (1, code) if isinstance(code, str) else (code, errors.getvalue())
        test.assertEqual(found, status)
        test.assertIn(words, said)
        if status == 2:
            test.assertEqual(said.count("\n"), 1)
            test.assertTrue(said.startswith("measure.py"), said)
