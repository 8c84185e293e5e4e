"""Rules for programs that are built by other flags than the rest."""

def rebuilt(transition, doc):
    """A rule: `binary`, built as the transition says.

    Args:
      transition: of the flags.
      doc: of the rule.
    """
    return rule(
        implementation = _impl,
        doc = doc,
        attrs = {
            "binary": attr.label(cfg = transition, executable = True),
            "_allowlist_function_transition": attr.label(
                default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
            ),
        },
        executable = True,
    )

def _impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = binary, is_executable = True)
    return [DefaultInfo(executable = link, runfiles = ctx.runfiles(files = [binary]))]
