"""Tests with GoogleTest that need no ranks, or one."""

load("//third_party:rules.bzl", "cc_test")

def unit_tests(names, deps, network = None, srcs = [], **kwargs):
    """A test NAME_test of NAME_test.cc for each name.

    Args:
      names: of the tests.
      deps: without GoogleTest and the network.
      network: "shm" or "sim", for code that needs one.
      srcs: further sources, such as headers that the library does not export.
      **kwargs: as cc_test's.
    """
    for name in names:
        cc_test(
            name = name + "_test",
            size = "small",
            srcs = [name + "_test.cc"] + srcs,
            linkstatic = 1,
            deps = deps + [Label("@com_google_googletest//:gtest_main")] +
                   ([Label("//common/rma:" + network)] if network else []),
            **kwargs
        )
