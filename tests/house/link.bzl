"""Tests that link a program with a choice of runtimes and RMA backends."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//third_party:rules.bzl", "cc_library", "sh_test")

def _link_line_impl(ctx):
    archives, words, flags = [], [], []
    for linker_input in ctx.attr.library[CcInfo].linking_context.linker_inputs.to_list():
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
    line = ctx.actions.declare_file(ctx.label.name + ".link")
    ctx.actions.write(line, "\n".join(words + flags) + "\n")
    return [DefaultInfo(
        files = depset([line]),
        runfiles = ctx.runfiles(files = [line] + archives),
    )]

_link_line = rule(
    implementation = _link_line_impl,
    doc = "A file with the archives and flags with which the compiler links `library`, a word a line.",
    attrs = {
        "library": attr.label(providers = [CcInfo]),
    },
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
    cc_library(name = name + "_all", deps = deps)
    _link_line(
        name = name + "_line",
        testonly = 1,
        tags = ["manual"],
        library = name + "_all",
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
