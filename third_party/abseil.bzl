"""@com_google_absl out of an installed Abseil, with the official labels.

`//absl/strings:str_format` becomes what pkg-config says of `absl_str_format`:
Abseil's package-config files carry the names of its Bazel targets, and their
closure in link order. The static archives are linked.
"""

load("//third_party:system.bzl", "ENVIRON", "MODULE", "missing", "standing_for", "takes_module", "words")

_DEBIAN = ["libabsl-dev", "pkg-config"]

# Official targets by package; others can be added here when they are needed.
_TARGETS = {
    "algorithm": ["algorithm", "container"],
    "base": ["base", "config", "core_headers", "endian", "prefetch"],
    "cleanup": ["cleanup"],
    "container": ["btree", "fixed_array", "flat_hash_map", "flat_hash_set", "inlined_vector", "node_hash_map"],
    "debugging": ["failure_signal_handler", "stacktrace", "symbolize"],
    "functional": ["any_invocable", "bind_front", "function_ref"],
    "hash": ["hash"],
    "memory": ["memory"],
    "meta": ["type_traits"],
    "numeric": ["bits", "int128"],
    "random": ["bit_gen_ref", "distributions", "random", "seed_sequences"],
    "status": ["status", "statusor"],
    "strings": ["cord", "str_format", "strings"],
    "synchronization": ["synchronization"],
    "time": ["time"],
    "types": ["any", "optional", "span", "variant"],
    "utility": ["utility"],
}

_LIBRARY = """
cc_library(
    name = "{name}",
    linkopts = {linkopts},
)
"""

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
        build = 'load("@rules_cc//cc:cc_library.bzl", "cc_library")\n\npackage(default_visibility = ["//visibility:public"])\n'
        for target in targets:
            with_package = package == "random" or (package, target) == ("algorithm", "container")
            module = "absl_%s_%s" % (package, target) if with_package else "absl_" + target
            build += _LIBRARY.format(
                name = target,
                linkopts = repr(_linkopts(ctx, module)),
            )
        ctx.file("absl/{}/BUILD".format(package), build, executable = False)

system_abseil = repository_rule(
    implementation = _system_abseil_impl,
    doc = "The installed Abseil under its official labels.",
    attrs = {"module": MODULE},
    environ = ["PKG_CONFIG_PATH"] + ENVIRON,
    local = True,
)
