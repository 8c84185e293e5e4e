"""Stands for a toolchain that is not there."""

def _not_there_impl(ctx):
    fail("--config=aarch64 was asked for and this was not found: " + ctx.attr.words)

not_there = rule(
    implementation = _not_there_impl,
    doc = "Stops in words.",
    attrs = {"words": attr.string(mandatory = True)},
)
