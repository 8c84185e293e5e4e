"""Running built programs under the MPI launcher that they were linked for."""

load("//third_party:rules.bzl", "sh_test")
load("@mpi//:defs.bzl", "MPI_FLAVOR", "MPI_LAUNCHER")

def mpi_test(
        name,
        binary,
        ranks,
        args = [],
        env = {},
        says = "",
        flavor = MPI_FLAVOR,
        launcher = MPI_LAUNCHER,
        size = "medium",
        tags = [],
        **kwargs):
    """A test that runs `binary` on `ranks` processes, more than cores if need be.

    Args:
      name: of the test.
      binary: label of a cc_binary (or a cc_test) linked against
        //common/rma:mpi. It passes when every rank exits with status 0.
      ranks: number of processes, at least 1.
      args: of the program, after Bazel's $(location) expansion.
      env: for the launcher and all ranks, for example
        {"OMPI_MCA_osc": "ucx"}.
      says: extended regular expression for a line that the job must print;
        "" demands none.
      flavor: "openmpi" or "mpich", where it is not the MPI of this build.
      launcher: path of its mpirun.
      size: of the test, as in every Bazel test.
      tags: more tags; the test is given two cores at least, since its ranks
        wait for each other.
      **kwargs: of sh_test.
    """
    sh_test(
        name = name,
        size = size,
        srcs = [Label("//third_party/mpi:run_mpi.sh")],
        args = [
            "--flavor=" + flavor,
            "--launcher=" + (launcher or "none"),
            "--ranks=%d" % ranks,
            "'--says=%s'" % says,
        ] + [
            "'--set=%s=%s'" % setting
            for setting in env.items()
        ] + ["$(rootpath %s)" % binary] + args,
        data = [binary],
        tags = ["cpu:2", "mpi"] + tags,
        **kwargs
    )
