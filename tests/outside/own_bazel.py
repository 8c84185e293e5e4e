"""A Bazel of its own, for tests that run a user's commands."""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

# Bazel as the commands find it. What it compiles with is found by the path of before, which a cache remembers.
WRAPPER = """#!/bin/bash
command=$1
shift
export PATH={path}
exec {bazel} --output_user_root={root} --host_jvm_args=-Xmx1g "$command" {flags} "$@"
"""
SECONDS = 500


class OwnBazel:
    """Commands find it as bazel, with a home and caches in a folder of its own, and with `flags` in each call."""

    def __init__(self, flags=""):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.home = self.folder / "home"
        self.wrapper = self.folder / "bin" / "bazel"
        for made in (self.home, self.wrapper.parent):
            made.mkdir()
        self.give_flags(flags)
        # What a program reports of itself, which may be meant to fail, would be said of the test that runs it.
        self.environment = {name: value for name, value in os.environ.items()
                            if name != "XML_OUTPUT_FILE" and not name.startswith("TEST_")}
        self.environment.update(HOME=str(self.home), PATH="%s:%s" % (self.wrapper.parent, os.environ["PATH"]))

    def give_flags(self, flags):
        self.wrapper.write_text(WRAPPER.format(bazel=shutil.which("bazel"), path=shlex.quote(os.environ["PATH"]),
                                               root=self.folder / "root", flags=flags))
        self.wrapper.chmod(0o755)

    def run_in(self, folder, command, stderr=subprocess.PIPE):
        return subprocess.run(command, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=SECONDS)

    def remove(self, workspace):
        """Ends the server of the workspace, and removes the folder."""
        self.give_flags("")
        self.run_in(workspace, ["bazel", "shutdown"])
        subprocess.run(["chmod", "-R", "u+w", self.folder], check=False)
        shutil.rmtree(self.folder)
