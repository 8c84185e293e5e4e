"""@aarch64: Debian's cross compiler and libraries for AArch64, for Bazel.

    bazel build --config=aarch64 //bench:cont_greedy

magpie.bazelrc has the flags. The libraries that are compiled, Abseil and
GoogleTest, are fetched by libraries.sh; those of headers alone are the
machine's own, which also says what to link. On an AArch64 machine all is its
own.

The repository has `//:for_linux`, `//platform` and `//:defs.bzl` with
  AARCH64_MISSING   what a test that runs such programs misses, in words, or "".
Where something is missing for the build, these load, and `//` says so.
"""

_COMPILER = "aarch64-linux-gnu-g++"
_SYSTEM = "/usr/lib/aarch64-linux-gnu"

# All files that Bazel asks for.
_TOOLS = ["ar", "cpp", "dwp", "gcc", "gcov", "ld", "llvm-cov", "nm", "objcopy", "objdump", "strip"]
_ARCHIVES = ["libabsl_base.a", "libgmock.a", "libgtest.a"]

def _has_archives(ctx, folder):
    return all([ctx.path(folder + "/" + name).exists for name in _ARCHIVES])

def _libraries(ctx):
    """The root of a file system with AArch64 libraries, or None."""
    if _has_archives(ctx, _SYSTEM):
        return "/"
    environ = ctx.os.environ
    cache = environ.get("XDG_CACHE_HOME") or environ.get("HOME", "") + "/.cache"
    folder = cache + "/magpie/aarch64"
    return folder if cache.startswith("/") and _has_archives(ctx, folder + _SYSTEM) else None

def _include_directories(ctx, libraries):
    """Where the compiler looks for headers, as it says itself."""
    said = ctx.execute([_COMPILER, "-E", "-v", "-x", "c++", "/dev/null"]).stderr
    lines = said.partition("#include <...> search starts here:")[2].partition("End of search list")[0]
    found = [line.strip() for line in lines.split("\n") if line.strip()]
    return [libraries + "/usr/include"] + [str(ctx.path(folder)) for folder in found]

def _missing_in_words(ctx, libraries):
    """(what the build misses, what a run misses)."""
    build = []
    if not ctx.which(_COMPILER):
        build.append("%s (on Debian: apt-get install g++-aarch64-linux-gnu)" % _COMPILER)
    if not libraries:
        build.append("AArch64's Abseil and GoogleTest (third_party/aarch64/libraries.sh fetches them)")
    run = []
    native = ctx.execute(["uname", "-m"]).stdout.strip() == "aarch64"
    if not native and not ctx.which("qemu-aarch64"):
        run.append("qemu-aarch64 (on Debian: apt-get install qemu-user)")
    return " and ".join(build), " and ".join(build + run)

def _aarch64_toolchain_impl(ctx):
    ctx.symlink(Label("//third_party/aarch64:platform.BUILD"), "platform/BUILD")
    libraries = _libraries(ctx)
    missing, missing_for_tests = _missing_in_words(ctx, libraries)
    ctx.file("defs.bzl", '"""See //third_party/aarch64:toolchain.bzl."""\nAARCH64_MISSING = %s\n' %
                         repr(missing_for_tests), executable = False)
    if missing:
        words = "--config=aarch64 was asked for and this was not found: " + missing
        ctx.file("BUILD", "fail(%s)\n" % repr(words), executable = False)
        return
    prefix = str(ctx.which(_COMPILER))[:-len("g++")]
    tools = {tool: prefix + tool for tool in _TOOLS}
    ctx.template("BUILD", Label("//third_party/aarch64:toolchain.BUILD"), {
        "%{include_directories}": repr(_include_directories(ctx, libraries)),
        "%{libraries}": libraries.rstrip("/"),
        "%{tools}": repr(tools),
    }, executable = False)

aarch64_toolchain = repository_rule(
    implementation = _aarch64_toolchain_impl,
    doc = "The installed cross compiler for AArch64.",
    environ = ["HOME", "PATH", "XDG_CACHE_HOME"],
    local = True,
)
