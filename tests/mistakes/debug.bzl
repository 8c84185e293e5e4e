"""Programs built for debugging (-c dbg), whatever the rest is built for."""

load("//common/testing:rebuilt.bzl", "rebuilt")

def _to_debug_impl(_settings, _attr):
    return {"//command_line_option:compilation_mode": "dbg"}

_to_debug = transition(
    implementation = _to_debug_impl,
    inputs = [],
    outputs = ["//command_line_option:compilation_mode"],
)

debug_build = rebuilt(_to_debug, "`binary`, built for debugging.")
