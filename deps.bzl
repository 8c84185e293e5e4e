"""What Magpie is built from, for its own WORKSPACE and for others'.

    load("@magpie//:deps.bzl", "magpie_deps")

    magpie_deps()

Everything comes from the machine, nothing from the network. Each repository has
the name and the labels of the official project, so that any of them can be
replaced by its official sources: declare an http_archive of that name before
the call, or give Bazel --override_repository=com_google_absl=/path/to/abseil-cpp.

In module mode (MODULE.bazel) the same repositories are declared by
//third_party:module.bzl, and a library that is not installed is Bazel's module.
"""

load("//third_party:abseil.bzl", "system_abseil")
load("//third_party:bazel.bzl", "bazel_stubs")
load("//third_party:system.bzl", "system_package")
load("//third_party/aarch64:toolchain.bzl", "aarch64_toolchain")
load("//third_party/mpi:mpi.bzl", "system_mpi")

# As in the official BUILD file, gmock belongs to :gtest.
_GTEST = ["-l:libgmock.a", "-l:libgtest.a", "-pthread"]

# Name: (Debian's packages, headers, targets with what they link).
_PACKAGES = {
    "cli11": (["libcli11-dev"], ["CLI/CLI.hpp"], {"cli11": []}),
    # Debian has no static archive of the library itself.
    "com_github_google_benchmark": (["libbenchmark-dev"], ["benchmark/benchmark.h"], {"benchmark": ["-lbenchmark", "-pthread"]}),
    "com_google_googletest": (
        ["libgtest-dev", "libgmock-dev"],
        ["gtest/gtest.h", "gmock/gmock.h"],
        {"gtest": _GTEST, "gtest_main": ["-l:libgtest_main.a"] + _GTEST},
    ),
    "nlohmann_json": (["nlohmann-json3-dev"], ["nlohmann/json.hpp"], {"json": []}),
}

# Not fetched for AArch64.
_INSTALLED_ALONE = ["com_github_google_benchmark"]

def repositories(declare, modules = {}):
    """Declares what Magpie is built from.

    Args:
      declare: called with a repository rule, a name and the rule's attributes.
      modules: repositories of Bazel's modules, for libraries that are not
        installed: {name: "@@repository"}.
    """
    declare(system_abseil, "com_google_absl", module = modules.get("com_google_absl", ""))
    for name, (packages, headers, targets) in _PACKAGES.items():
        declare(
            system_package,
            name,
            only_on = ["@aarch64//platform:installed"] if name in _INSTALLED_ALONE else [],
            debian_packages = packages,
            headers = headers,
            module = modules.get(name, ""),
            targets = targets,
        )

    # Open MPI, or MPICH with MAGPIE_MPI=mpich, or what MPICC=/path/to/mpicc says.
    declare(system_mpi, "mpi")

    # A second MPI beside it, for tests that run on both; empty if it is not
    # installed.
    declare(system_mpi, "mpich", flavor = "mpich")

    # For --config=aarch64; without a compiler where none is installed.
    declare(aarch64_toolchain, "aarch64")

def _declare(rule, name, **kwargs):
    if not native.existing_rule(name):
        rule(name = name, **kwargs)

def magpie_deps():
    """Declares the repositories, except those the WORKSPACE file declared before."""
    bazel_stubs()
    repositories(_declare)
