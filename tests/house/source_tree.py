"""Finds the files of the source tree from which a test was started."""

import os
import pathlib
import re

# Not the copy among the test's runfiles: the source tree itself.
HERE = pathlib.Path(os.path.realpath(__file__)).parent
ROOT = HERE.parent.parent


def files(*folders, suffixes=None):
    """Text files of the repository, below the folders or all of them."""
    for directory, subdirectories, names in os.walk(ROOT):
        subdirectories[:] = [
            d for d in subdirectories
            if not re.match(r"\.(?!ci$)|__pycache__$|bazel-|demo_out$", d)
        ]
        for name in names:
            path = pathlib.Path(directory, name)
            inside = path.relative_to(ROOT)
            if folders and inside.parts[0] not in folders:
                continue
            if name not in ("LICENSE", "user.bazelrc") and (not suffixes or path.suffix in suffixes) and not path.is_symlink():
                yield path
