"""Repositories that stand for packages installed on the machine."""

def missing(ctx, what, debian_packages):
    """Stops in words: says what is missing and which packages bring it."""
    fail("@{}: {} was not found. On Debian: apt-get install {}. Elsewhere, put the official sources in its place (see deps.bzl).".format(
        ctx.name,
        what,
        " ".join(debian_packages),
    ))

def words(text):
    """Splits at white space."""
    return [word for word in text.replace("\n", " ").split(" ") if word]

def has_header(ctx, header, flags = []):
    """Whether the C++ compiler finds `header` on its own search path."""
    compiler = ctx.os.environ.get("CXX") or "c++"
    result = ctx.execute(
        [compiler, "-x", "c++", "-std=c++17", "-E", "-include", header, "/dev/null", "-o", "/dev/null"] + flags,
    )
    return result.return_code == 0

def _system_package_impl(ctx):
    for header in ctx.attr.headers:
        if not has_header(ctx, header):
            missing(ctx, "the header " + header, ctx.attr.debian_packages)
    ctx.symlink(ctx.attr.build_file, "BUILD")

system_package = repository_rule(
    implementation = _system_package_impl,
    doc = "A library in the compiler's search path, with a BUILD file of ours.",
    attrs = {
        "build_file": attr.label(mandatory = True),
        "debian_packages": attr.string_list(mandatory = True),
        "headers": attr.string_list(mandatory = True),
    },
    environ = ["CXX"],
    local = True,
)
