"""Tests that link a program with a choice of runtimes and RMA backends."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//third_party:rules.bzl", "sh_test")

_LinkInputs = provider(
    "Archives that a target's binary is linked from.",
    fields = {"archives": "depset of structs(owner, file)"},
)

# The action that links an executable.
_LINK = "c++-link-executable"

def _archive(library):
    return library.static_library or library.pic_static_library

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

def _listed(ctx, ending, lines, files):
    """A file of these lines, beside which `files` lie."""
    listed = ctx.actions.declare_file(ctx.label.name + ending)
    ctx.actions.write(listed, "\n".join(lines) + "\n")
    return [DefaultInfo(
        files = depset([listed]),
        runfiles = ctx.runfiles(files = [listed] + files),
    )]

def _link_line_impl(ctx):
    cc_info = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    )
    archives, words, flags = [], [], []
    for linker_input in cc_info.linking_context.linker_inputs.to_list():
        for library in linker_input.libraries:
            archive = _archive(library)
            if not archive:
                continue
            archives.append(archive)
            if library.alwayslink:
                words += ["-Wl,--whole-archive", archive.short_path, "-Wl,--no-whole-archive"]
            else:
                words.append(archive.short_path)
        flags += linker_input.user_link_flags
    compiler, arguments = _link_command(ctx, words + flags)
    return _listed(ctx, ".link", [compiler] + arguments, archives)

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

def _link_inputs_aspect_impl(_target, ctx):
    archives = []
    for dep in getattr(ctx.rule.attr, "deps", []):
        if CcInfo in dep:
            for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
                archives += [
                    struct(owner = linker_input.owner, file = _archive(library))
                    for library in linker_input.libraries
                    if _archive(library)
                ]
    return [_LinkInputs(archives = depset(archives))]

_link_inputs_aspect = aspect(implementation = _link_inputs_aspect_impl)

def _program_links_impl(ctx):
    rows, files = [], []
    for binary in ctx.attr.binaries:
        executable = binary[DefaultInfo].files_to_run.executable
        files.append(executable)
        for archive in binary[_LinkInputs].archives.to_list():
            if archive.owner == ctx.attr.program.label:
                files.append(archive.file)
                rows.append("%s %s" % (executable.short_path, archive.file.short_path))
    return _listed(ctx, ".links", rows, files)

_program_links = rule(
    implementation = _program_links_impl,
    doc = "A table: each binary, and the archive of `program` in its link.",
    attrs = {
        "binaries": attr.label_list(aspects = [_link_inputs_aspect]),
        "program": attr.label(providers = [CcInfo]),
    },
)

def same_program_test(name, program, binaries):
    """Tests that all `binaries` hold the very same object code of `program`.

    Args:
      name: of the test.
      program: a cc_library in the deps of each of the binaries.
      binaries: cc_binary targets, two or more.
    """
    _program_links(
        name = name + "_table",
        testonly = 1,
        tags = ["manual"],
        binaries = binaries,
        program = program,
    )
    sh_test(
        name = name,
        size = "small",
        srcs = ["same_program_test.sh"],
        args = ["$(rootpath :%s_table)" % name, str(len(binaries))],
        data = [":%s_table" % name],
    )
