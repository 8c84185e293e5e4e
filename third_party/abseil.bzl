"""@com_google_absl out of an installed Abseil, with the official labels.

`//absl/strings:str_format` becomes what pkg-config says of `absl_str_format`:
Abseil's package-config files carry the names of its Bazel targets, and their
closure in link order. The static archives are linked.
"""

load("//third_party:system.bzl", "ENVIRON", "MODULE", "libraries", "missing", "standing_for", "takes_module", "words")

_DEBIAN = ["libabsl-dev", "pkg-config"]

# The official targets that are used, by package.
_TARGETS = {
    "cleanup": ["cleanup"],
    "container": ["inlined_vector"],
    "strings": ["str_format", "strings"],
    "time": ["time"],
}

def _static(flag):
    if flag.startswith("-labsl_"):
        return "-l:lib" + flag[len("-l"):] + ".a"
    return flag

def _linkopts(ctx, module):
    result = ctx.execute(["pkg-config", "--libs", "--static", module])
    if result.return_code != 0:
        missing(ctx, "the pkg-config module " + module, _DEBIAN)
    return [_static(flag) for flag in words(result.stdout)]

def _system_abseil_impl(ctx):
    if not ctx.attr.module and ctx.os.environ.get("MAGPIE_LIBRARIES") == "modules":
        fail("MAGPIE_LIBRARIES=modules: only Bazel 7 and later, which read MODULE.bazel, have modules")
    has_config = ctx.which("pkg-config") != None
    is_installed = has_config and ctx.execute(["pkg-config", "--exists", "absl_base"]).return_code == 0
    if takes_module(ctx, is_installed):
        for package, targets in _TARGETS.items():
            ctx.file("absl/%s/BUILD" % package, standing_for(ctx.attr.module, "absl/" + package, targets), executable = False)
        return
    if not has_config:
        missing(ctx, "pkg-config", _DEBIAN)
    for package, targets in _TARGETS.items():
        linked = {target: _linkopts(ctx, "absl_" + target) for target in targets}
        ctx.file("absl/%s/BUILD" % package, libraries(linked), executable = False)

system_abseil = repository_rule(
    implementation = _system_abseil_impl,
    doc = "The installed Abseil under its official labels.",
    attrs = {"module": MODULE},
    environ = ["PKG_CONFIG_PATH"] + ENVIRON,
    local = True,
)
