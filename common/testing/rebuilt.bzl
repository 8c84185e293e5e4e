"""Rules for programs that are built by other flags than the rest."""

def rebuilt(transition, doc, run = None):
    """A rule: `binary`, built as the transition says.

    Args:
      transition: of the flags.
      doc: of the rule.
      run: a script that runs such programs; None: they run by themselves.
    """
    return rule(
        implementation = _impl,
        doc = doc,
        attrs = {
            "binary": attr.label(cfg = transition, executable = True),
            "_allowlist_function_transition": attr.label(
                default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
            ),
            "_run": attr.label(default = run, allow_single_file = True),
        },
        executable = True,
    )

def _impl(ctx):
    name, run = ctx.label.name, ctx.file._run
    binary = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    if not run:
        program = _link(ctx, name, binary)
        return [DefaultInfo(executable = program, runfiles = ctx.runfiles(files = [binary]))]
    program = ctx.actions.declare_file(name)
    ctx.actions.write(program, '#!/bin/sh\nexec "$0.run" "$0.rebuilt" "$@"\n', is_executable = True)
    links = [_link(ctx, name + ".run", run), _link(ctx, name + ".rebuilt", binary)]
    return [DefaultInfo(executable = program, runfiles = ctx.runfiles(files = links + [binary, run]))]

def _link(ctx, name, to):
    link = ctx.actions.declare_file(name)
    ctx.actions.symlink(output = link, target_file = to, is_executable = True)
    return link
