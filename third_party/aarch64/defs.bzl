"""Programs built for AArch64 (--config=aarch64), whatever the rest is for."""

# The flags of magpie.bazelrc.
_SETTINGS = {
    "//command_line_option:extra_toolchains": "@aarch64//:for_linux",
    "//command_line_option:platforms": "@aarch64//platform:linux",
}

def _to_aarch64_impl(_settings, _attr):
    return _SETTINGS

_to_aarch64 = transition(
    implementation = _to_aarch64_impl,
    inputs = [],
    outputs = _SETTINGS.keys(),
)

_SCRIPT = """#!/bin/sh
here=$(dirname "$0")
exec "$here"/{run} "$here"/{program} "$@"
"""

def _link(ctx, name, to):
    link = ctx.actions.declare_file(name)
    ctx.actions.symlink(output = link, target_file = to, is_executable = True)
    return link

def _aarch64_program_impl(ctx):
    name = ctx.label.name
    binary = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    files = [
        _link(ctx, name + ".aarch64", binary),
        _link(ctx, name + ".run", ctx.file._run),
    ]
    script = ctx.actions.declare_file(name)
    ctx.actions.write(
        script,
        _SCRIPT.format(program = files[0].basename, run = files[1].basename),
        is_executable = True,
    )
    return [DefaultInfo(
        executable = script,
        runfiles = ctx.runfiles(files = files + [binary, ctx.file._run]),
    )]

aarch64_program = rule(
    implementation = _aarch64_program_impl,
    doc = "`binary`, built for AArch64, and run under qemu-user.",
    attrs = {
        "binary": attr.label(cfg = _to_aarch64, executable = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
        "_run": attr.label(
            default = Label("//third_party/aarch64:run.sh"),
            allow_single_file = True,
        ),
    },
    executable = True,
)
