"""The sources of targets and of all that they depend on in this workspace."""

_Sources = provider("Source files.", fields = {"files": "depset of files"})

def _sources_aspect_impl(_target, ctx):
    files = []
    for name in ["srcs", "hdrs"]:
        files += [f for f in getattr(ctx.rule.files, name, []) if f.is_source]
    deps = list(getattr(ctx.rule.attr, "deps", []))
    if hasattr(ctx.rule.attr, "actual"):
        deps.append(ctx.rule.attr.actual)
    return [_Sources(files = depset(
        files,
        transitive = [dep[_Sources].files for dep in deps if _Sources in dep],
    ))]

_sources_aspect = aspect(
    implementation = _sources_aspect_impl,
    attr_aspects = ["deps", "actual"],
)

def _sources_impl(ctx):
    files = depset(transitive = [dep[_Sources].files for dep in ctx.attr.deps])
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))]

sources = rule(
    implementation = _sources_impl,
    doc = "For tests that compile `deps` in their own way.",
    attrs = {"deps": attr.label_list(aspects = [_sources_aspect])},
)
