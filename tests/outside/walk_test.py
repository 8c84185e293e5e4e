"""How a document is read that is a walk, and that what was printed is compared."""

import unittest

import walk

DOCUMENT = """# Title

Two words.

    no words

## 1. First

Run:

```sh
cat a/b.h
```

```text
int a;
...
```

## 2. Second

```sh
false
```

```text
FAILED
```
"""


class WalkTest(unittest.TestCase):
    def test_parts(self):
        self.assertEqual(walk.parts(DOCUMENT), [
            walk.Commands("1. First", "cat a/b.h\n", "int a;\n...\n"),
            walk.Commands("2. Second", "false\n", "FAILED\n"),
        ])
        self.assertEqual([part.is_to_fail() for part in walk.parts(DOCUMENT)], [False, True])

    def test_the_tutorial_is_a_walk(self):
        self.assertTrue(walk.parts((walk.ROOT / "docs/mixing.md").read_text()))

    def test_what_is_no_walk_is_refused(self):
        for text in ("```cpp\nint a;\n```\n", "```text\nprinted\n```\n",
                     "```sh\n```\n\n```text\n```\n\n```text\n```\n"):
            with self.subTest(text=text):
                self.assertRaises(ValueError, walk.parts, text)

    def test_what_is_printed(self):
        printed = "a  1\n\nb 2\nc 3\nd 4\n"
        for expected in ("a 1\nb 2\nc 3\nd 4\n", "...\n", "...\nb   2\nc 3\n...\n", "a ...\n...\nc...\n...\n"):
            with self.subTest(expected=expected):
                self.assertTrue(walk.is_printed(expected, printed))
        for expected in ("", "b 2\n...\n", "...\nc 3\n", "...\nb 2\nd 4\n...\n", "...\nc 3\n...\nb 2\n...\n", "...\n1\n...\n"):
            with self.subTest(expected=expected):
                self.assertFalse(walk.is_printed(expected, printed))
        self.assertTrue(walk.is_printed("", ""))
