"""Tests that link a program with a choice of runtimes and RMA backends."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//third_party:rules.bzl", "sh_test")

# The action that links an executable.
_LINK = "c++-link-executable"

def _link_command(ctx, flags):
    """(compiler, arguments) with which Bazel links an executable."""
    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    compiler = cc_common.get_tool_for_action(
        feature_configuration = features,
        action_name = _LINK,
    )
    arguments = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = _LINK,
        variables = cc_common.create_link_variables(
            feature_configuration = features,
            cc_toolchain = cc_toolchain,
            is_linking_dynamic_library = False,
            user_link_flags = flags + ctx.fragments.cpp.linkopts,
        ),
    )
    return compiler, arguments

def _link_line_impl(ctx):
    cc_info = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    )
    archives, words, flags = [], [], []
    for linker_input in cc_info.linking_context.linker_inputs.to_list():
        for library in linker_input.libraries:
            archive = library.static_library or library.pic_static_library
            if not archive:
                continue
            archives.append(archive)
            if library.alwayslink:
                words += ["-Wl,--whole-archive", archive.short_path, "-Wl,--no-whole-archive"]
            else:
                words.append(archive.short_path)
        flags += linker_input.user_link_flags
    compiler, arguments = _link_command(ctx, words + flags)
    line = ctx.actions.declare_file(ctx.label.name + ".link")
    ctx.actions.write(line, "\n".join([compiler] + arguments) + "\n")
    return [DefaultInfo(
        files = depset([line]),
        runfiles = ctx.runfiles(files = [line] + archives),
    )]

_link_line = rule(
    implementation = _link_line_impl,
    doc = "A file with the command that links `deps` as Bazel would, a word a line.",
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def link_test(name, deps, refused = None, run = {}, tags = []):
    """Tests that `deps` link, or that they do not and for which reason.

    Args:
      name: of the test.
      deps: a program, runtimes and RMA backends, as a cc_binary's deps.
      refused: a symbol that the linker's first error must name. None: it must
        link.
      run: arguments, to run the linked program with one after the other, which
        must exit with status 0; and what it must print, as regular expressions.
      tags: of the test.
    """
    _link_line(
        name = name + "_line",
        testonly = 1,
        tags = ["manual"],
        deps = deps,
    )
    sh_test(
        name = name,
        size = "small",
        srcs = ["link_test.sh"],
        args = ["$(rootpath :%s_line)" % name] + (
            ["refused", refused] if refused else ["accepted"] + [
                "'%s'" % word
                for pair in run.items()
                for word in pair
            ]
        ),
        data = [":%s_line" % name],
        tags = tags,
    )
