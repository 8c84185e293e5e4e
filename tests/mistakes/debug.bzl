"""Programs built for debugging (-c dbg), whatever the rest is built for."""

def _to_debug_impl(_settings, _attr):
    return {"//command_line_option:compilation_mode": "dbg"}

_to_debug = transition(
    implementation = _to_debug_impl,
    inputs = [],
    outputs = ["//command_line_option:compilation_mode"],
)

def _debug_build_impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = binary, is_executable = True)
    return [DefaultInfo(executable = link, runfiles = ctx.runfiles(files = [binary]))]

debug_build = rule(
    implementation = _debug_build_impl,
    doc = "`binary`, built for debugging.",
    attrs = {
        "binary": attr.label(cfg = _to_debug, executable = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)
