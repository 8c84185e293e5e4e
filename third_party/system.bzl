"""Repositories that stand for packages installed on the machine."""

def missing(ctx, what, debian_packages):
    """Stops in words: says what is missing and which packages bring it."""
    fail("{}: {} was not found. On Debian: apt-get install {}. Elsewhere, put the official sources in its place (see deps.bzl).".format(
        ctx.name.replace("+", "~").split("~")[-1],
        what,
        " ".join(debian_packages),
    ))

def words(text):
    """Splits at white space."""
    return [word for word in text.replace("\n", " ").split(" ") if word]

def has_header(ctx, header):
    """Whether the C++ compiler finds `header` on its own search path."""
    compiler = ctx.os.environ.get("CXX") or "c++"
    result = ctx.execute(
        [compiler, "-x", "c++", "-std=c++17", "-E", "-include", header, "/dev/null", "-o", "/dev/null"],
    )
    return result.return_code == 0

def takes_module(ctx, is_installed):
    """Whether the library is Bazel's module, not the one that is installed (MAGPIE_LIBRARIES in the environment)."""
    choice = ctx.os.environ.get("MAGPIE_LIBRARIES", "") or "installed"
    if choice not in ["installed", "modules"]:
        fail("MAGPIE_LIBRARIES=%s: must be installed or modules" % choice)
    return ctx.attr.module and (choice == "modules" or not is_installed)

def standing_for(module, package, targets):
    """A BUILD file whose targets stand for those of a package of a module."""
    return "".join(["""alias(
    name = "{0}",
    actual = "{1}//{2}:{0}",
    visibility = ["//visibility:public"],
)
""".format(target, module, package) for target in targets])

def libraries(targets, only_on = []):
    """A BUILD file of installed libraries, {target: what is linked}."""
    return 'load("@rules_cc//cc:cc_library.bzl", "cc_library")\n' + "".join(["""
cc_library(
    name = "%s",
    linkopts = %r,
    target_compatible_with = %r,
    visibility = ["//visibility:public"],
)
""" % (target, linkopts, only_on) for target, linkopts in targets.items()])

# For rules of libraries that may be Bazel's modules.
MODULE = attr.string(doc = "The repository of Bazel's module for it, or nothing.")
ENVIRON = ["MAGPIE_LIBRARIES"]

def _system_package_impl(ctx):
    absent = [header for header in ctx.attr.headers if not has_header(ctx, header)]
    if takes_module(ctx, not absent):
        ctx.file("BUILD", standing_for(ctx.attr.module, "", ctx.attr.targets), executable = False)
        return
    if absent:
        missing(ctx, "the header " + absent[0], ctx.attr.debian_packages)
    ctx.file("BUILD", libraries(ctx.attr.targets, ctx.attr.only_on), executable = False)

system_package = repository_rule(
    implementation = _system_package_impl,
    doc = "A library in the compiler's search path, under its official labels.",
    attrs = {
        "only_on": attr.string_list(doc = "As target_compatible_with of its targets."),
        "debian_packages": attr.string_list(mandatory = True),
        "headers": attr.string_list(mandatory = True),
        "module": MODULE,
        "targets": attr.string_list_dict(mandatory = True),
    },
    environ = ["CXX"] + ENVIRON,
    local = True,
)
