"""Programs on several networks."""

load("//third_party:rules.bzl", "cc_binary")

_MPICH = "//common/rma/mpi:mpich"

def network_binaries(name, deps, networks = ["shm", "sim"], shm = "_shm", **kwargs):
    """A program NAME_NETWORK for each network, of the same object files.

    Args:
      name: of the program.
      deps: with a runtime or a pool, where the program needs one.
      networks: of "shm", "mpi", "mpich" (in tests) and "sim".
      shm: what follows the name on shared memory.
      **kwargs: as cc_binary's.
    """
    for network in networks:
        cc_binary(
            name = name + (shm if network == "shm" else "_" + network),
            linkstatic = 1,
            deps = deps + [Label(_MPICH if network == "mpich" else "//common/rma:" + network)],
            **kwargs
        )
