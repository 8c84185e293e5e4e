"""Programs with the lines of their source (-g1), whatever the rest is built with: for bench/explain."""

load("//common/testing:rebuilt.bzl", "rebuilt")

_COPT = "//command_line_option:copt"

def _with_lines_impl(settings, _attr):
    return {_COPT: settings[_COPT] + ["-g1"]}

_with_lines = transition(
    implementation = _with_lines_impl,
    inputs = [_COPT],
    outputs = [_COPT],
)

with_lines = rebuilt(_with_lines, "`binary`, with line numbers.")
