"""Bazel's rules of C++ and of shell, which Bazel 9 no longer has built in.

Each comes from a file of its own: the one file that has all of C++ also loads
those of protocol buffers, and fetches them.
"""

load("@rules_cc//cc:cc_binary.bzl", _cc_binary = "cc_binary")
load("@rules_cc//cc:cc_library.bzl", _cc_library = "cc_library")
load("@rules_cc//cc:cc_test.bzl", _cc_test = "cc_test")
load("@rules_shell//shell:sh_test.bzl", _sh_test = "sh_test")

cc_binary = _cc_binary
cc_library = _cc_library
cc_test = _cc_test
sh_test = _sh_test
