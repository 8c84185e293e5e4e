"""Programs optimized across all their files when they are linked (--config=lto), however the rest is built."""

load("//common/testing:rebuilt.bzl", "rebuilt")

_COPT = "//command_line_option:copt"
_LINKOPT = "//command_line_option:linkopt"

# The flags of magpie.bazelrc.
def _to_lto_impl(settings, _attr):
    return {
        _COPT: settings[_COPT] + ["-flto"],
        _LINKOPT: settings[_LINKOPT] + ["-flto=auto", "-O2"],
    }

_to_lto = transition(
    implementation = _to_lto_impl,
    inputs = [_COPT, _LINKOPT],
    outputs = [_COPT, _LINKOPT],
)

lto_build = rebuilt(_to_lto, "`binary`, built as with --config=lto.")
