"""Programs optimized across all their files when they are linked (--config=lto), however the rest is built."""

_COPT = "//command_line_option:copt"
_LINKOPT = "//command_line_option:linkopt"

def _to_lto_impl(settings, _attr):
    return {
        _COPT: settings[_COPT] + ["-flto", "-fno-tree-slp-vectorize"],
        _LINKOPT: settings[_LINKOPT] + ["-flto=auto", "-O2"],
    }

_to_lto = transition(
    implementation = _to_lto_impl,
    inputs = [_COPT, _LINKOPT],
    outputs = [_COPT, _LINKOPT],
)

def _lto_build_impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = binary, is_executable = True)
    return [DefaultInfo(executable = link, runfiles = ctx.runfiles(files = [binary]))]

lto_build = rule(
    implementation = _lto_build_impl,
    doc = "`binary`, built as with --config=lto.",
    attrs = {
        "binary": attr.label(cfg = _to_lto, executable = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)
