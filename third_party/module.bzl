"""What MODULE.bazel takes from the machine: the repositories of deps.bzl."""

load("//:deps.bzl", "repositories")

# Bazel's own modules of these libraries, as MODULE.bazel names them.
_MODULES = {
    "cli11": Label("@module_cli11//:all"),
    "com_google_absl": Label("@module_abseil//:all"),
    "com_google_googletest": Label("@module_googletest//:all"),
    "nlohmann_json": Label("@module_json//:all"),
}

def _declare(rule, name, **kwargs):
    rule(name = name, **kwargs)

def _machine_impl(_ctx):
    repositories(_declare, {name: str(label).partition("//")[0] for name, label in _MODULES.items()})

machine = module_extension(
    implementation = _machine_impl,
    doc = "Libraries and MPIs that are installed on the machine, and its cross compiler.",
)
