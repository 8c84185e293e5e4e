"""Rules that all BUILD files load, where Bazel has them built in.

In WORKSPACE mode, which is for Bazel 4, Bazel's own C++ and Java tool packages,
and ours, load rules from repositories that Bazel would download. Stubs forward to
the built-in rules instead. In module mode (MODULE.bazel) all rules come from
their modules.
"""

def _forwarding(rules):
    return "".join(['{0} = getattr(native, "{0}", None)\n'.format(rule) for rule in rules.split(" ")])

# Repository: {file: what is in it}.
_STUBS = {
    "rules_cc": {
        "cc/builtin.bzl": "builtin = CcInfo\n",
        "cc/cc_binary.bzl": _forwarding("cc_binary"),
        "cc/cc_library.bzl": _forwarding("cc_library"),
        "cc/cc_test.bzl": _forwarding("cc_test"),
        "cc/common/cc_info.bzl": """load("//cc:builtin.bzl", "builtin")
CcInfo = builtin
""",
        "cc/defs.bzl": _forwarding("cc_binary cc_import cc_library cc_proto_library cc_shared_library cc_test cc_toolchain cc_toolchain_suite"),
        "cc/private/toolchain/unix_cc_toolchain_config.bzl": """load("@bazel_tools//tools/cpp:unix_cc_toolchain_config.bzl", _config = "cc_toolchain_config")
cc_toolchain_config = _config
""",
        "cc/toolchains/cc_toolchain.bzl": _forwarding("cc_toolchain"),
    },
    "rules_java": {"java/defs.bzl": _forwarding("java_binary java_import java_library java_proto_library java_runtime java_test java_toolchain")},
    "rules_shell": {
        "shell/sh_test.bzl": _forwarding("sh_test"),
    },
    "remote_coverage_tools": {},
}

# The files that Bazel wants of remote_coverage_tools, empty.
_BUILD = """package(default_visibility = ["//visibility:public"])

filegroup(name = "coverage_report_generator")

filegroup(name = "lcov_merger")
"""

def _bazel_stub_impl(ctx):
    ctx.file("BUILD", _BUILD, executable = False)
    for path, lines in ctx.attr.files.items():
        ctx.file(path.rpartition("/")[0] + "/BUILD", executable = False)
        ctx.file(path, lines, executable = False)

_bazel_stub = repository_rule(
    implementation = _bazel_stub_impl,
    doc = "Rules that Bazel has built in, under the labels of a repository.",
    attrs = {"files": attr.string_dict()},
)

def bazel_stubs():
    """Declares the stubs, except those the WORKSPACE file declared before."""
    for name, files in _STUBS.items():
        if not native.existing_rule(name):
            _bazel_stub(name = name, files = files)
