"""Programs on several networks."""

load("//third_party:rules.bzl", "cc_binary", "cc_library")

_MPICH = "//common/rma/mpi:mpich"

def network_binaries(name, deps, srcs = [], networks = ["shm", "sim"], shm = "_shm", visibility = ["//visibility:public"], **kwargs):
    """A program NAME_NETWORK for each network, of the same object files.

    Args:
      name: of the program.
      deps: with a runtime or a pool, where the program needs one.
      srcs: of the program, which are compiled once.
      networks: of "shm", "mpi", "mpich" (in tests) and "sim".
      shm: what follows the name on shared memory.
      visibility: of the program.
      **kwargs: as cc_binary's.
    """
    if srcs and len(networks) > 1:
        cc_library(name = name + "_objects", srcs = srcs, deps = deps, alwayslink = 1, **kwargs)
        srcs, deps = [], deps + [":%s_objects" % name]
    for network in networks:
        cc_binary(
            name = name + (shm if network == "shm" else "_" + network),
            srcs = srcs,
            visibility = visibility,
            deps = deps + [Label(_MPICH if network == "mpich" else "//common/rma:" + network)],
            **kwargs
        )
