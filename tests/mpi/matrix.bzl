"""The MPI matrix: the same programs on every component and setting."""

# On osc/rdma of Open MPI, MPI_Compare_and_swap crashes; these cases use it.
USES_COMPARE_SWAP = "*CompareSwap*:RmaAtomics.AllKindsOnOneWord:RmaCounters.*:RmaModel.*:RmaOneSided.*:RmaProgress.*"

# Cases whose target is busy outside the shim: they need one-sided components or a progress thread.
ONE_SIDED = "RmaOneSided.*"

def matrix_row(name, binary, flavor, launcher, ranks = 2, says = ".", status = 0, leave_out = "", args = [], env = {}, tags = [], data = []):
    """A test that runs `binary` under `launcher`.

    Args:
      name: of the test.
      binary: label of a program over the mpi backend.
      flavor: "openmpi" or "mpich".
      launcher: path of its mpirun.
      ranks: number of processes.
      says: extended regular expression for a line that the job must print.
      status: exit status that the job must have.
      leave_out: GoogleTest filter of cases that are not run.
      args: more arguments of the program.
      env: of the launcher and the ranks.
      tags: more tags.
      data: more files.
    """
    settings = ["%s=%s" % item for item in env.items()]
    filter = ["--gtest_filter=-" + leave_out] if leave_out else []
    native.sh_test(
        name = name,
        size = "medium",
        timeout = "moderate",
        srcs = ["row.sh"],
        args = [
            str(status),
            "'%s'" % says,
            "$(rootpath //third_party/mpi:run_mpi.sh)",
            flavor,
            launcher,
            str(ranks),
            str(len(settings)),
        ] + ["'%s'" % s for s in settings] + ["$(rootpath %s)" % binary] + ["'%s'" % f for f in filter] + args,
        data = [
            binary,
            "//third_party/mpi:run_mpi.sh",
        ] + data,
        tags = ["cpu:2", "mpi"] + tags,
    )
