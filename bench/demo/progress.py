"""What the demo does now, on a terminal or in lines."""

import os
import sys


class Progress:
    """What runs now and how much is left: a bar on a terminal, else a line where something long begins."""

    def __init__(self, total):
        from rich import console, progress, table
        self._in_lines = not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown")
        # What runs has what room is left.
        words = progress.TextColumn("{task.description}", markup=False, table_column=table.Column(ratio=1, no_wrap=True))
        self._bar = progress.Progress(
            words, progress.MofNCompleteColumn(), progress.BarColumn(10), progress.TimeElapsedColumn(),
            progress.TextColumn("left"), progress.TimeRemainingColumn(), console=console.Console(stderr=True),
            expand=True, transient=True, disable=self._in_lines)
        self._task = self._bar.add_task("", total=total)

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *_):
        self._bar.stop()

    def prints(self, function, *arguments):
        """Calls a function that prints, while the bar does not own the terminal's last line."""
        self._bar.stop()
        try:
            function(*arguments)
            sys.stdout.flush()
        finally:
            self._bar.start()

    def begins(self, what):
        """Something long begins."""
        if self._in_lines:
            print(what, file=sys.stderr, flush=True)

    def shows(self, what):
        self._bar.update(self._task, description=what)

    def advances(self):
        self._bar.advance(self._task)
