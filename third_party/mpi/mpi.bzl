"""@mpi: the MPI that is installed, as its compiler wrapper describes it.

Which one:
  MPICC=/path/to/mpicc   this wrapper, for a cluster's own MPI;
  MAGPIE_MPI=mpich       MPICH;
  MAGPIE_MPI=openmpi     Open MPI, which is also the default.

The repository has `//:mpi` (headers and link flags) and `//:defs.bzl` with
  MPI_FLAVOR     "openmpi" or "mpich" (also for its derivatives, such as Intel
                 MPI or MVAPICH);
  MPI_VERSION    the first number of Open MPI's version, 0 of another MPI;
  MPI_WRAPPER    the compiler wrapper that was asked;
  MPI_LAUNCHER   the launcher that belongs to it, or srun where there is none,
                 or "". Plain `mpirun` may belong to another MPI, under which
                 every rank would believe to be rank 0 of 1.
"""

load("//third_party:system.bzl", "missing", "words")

_WRAPPERS = {
    "mpich": ["mpicc.mpich", "mpicc"],
    "openmpi": ["mpicc.openmpi", "mpicc"],
}
_DEBIAN = {
    "mpich": ["mpich", "libmpich-dev"],
    "openmpi": ["openmpi-bin", "libopenmpi-dev"],
}

def _ask(ctx, wrapper, *options):
    """The flags that the wrapper prints, or None if it does not know how."""
    result = ctx.execute([wrapper] + list(options))
    return words(result.stdout) if result.return_code == 0 else None

def _describe(ctx, wrapper):
    """(flavor, compile flags, link flags), or None."""
    compiling = _ask(ctx, wrapper, "--showme:compile")
    if compiling != None:
        return ("openmpi", compiling, _ask(ctx, wrapper, "--showme:link"))
    compiling = _ask(ctx, wrapper, "-compile_info")
    if compiling != None:
        # The first word is the compiler.
        return ("mpich", compiling[1:], _ask(ctx, wrapper, "-link_info")[1:])
    both = _ask(ctx, wrapper, "-show")
    if both != None:
        return ("mpich", both[1:], both[1:])

    # Cray's compilers, each of which is a wrapper.
    compiling = _ask(ctx, wrapper, "--cray-print-opts=cflags")
    if compiling != None:
        return ("mpich", compiling, _ask(ctx, wrapper, "--cray-print-opts=libs"))
    return None

def _find(ctx):
    """(wrapper, description) of the MPI that is asked for, by the rule or by the environment."""
    own = ctx.os.environ.get("MPICC", "")
    flavor = ctx.attr.flavor or ctx.os.environ.get("MAGPIE_MPI", "") or "openmpi"
    if own and not ctx.attr.flavor:
        wrapper = ctx.path(own) if "/" in own else ctx.which(own)
        description = _describe(ctx, wrapper) if wrapper and wrapper.exists else None
        if not description:
            fail("MPICC=%s: not a compiler wrapper of Open MPI, of MPICH or of Cray's MPI" % own)
        return (wrapper, description)
    if flavor not in _WRAPPERS:
        fail("MAGPIE_MPI=%s: must be openmpi or mpich" % flavor)
    for name in _WRAPPERS[flavor]:
        wrapper = ctx.which(name)
        description = _describe(ctx, wrapper) if wrapper else None
        if description and description[0] == flavor:
            return (wrapper, description)
    if ctx.attr.flavor:
        return (None, None)
    return missing(ctx, "a compiler wrapper of " + flavor, _DEBIAN[flavor])

def _open_mpi_version(ctx, wrapper):
    """The first number of Open MPI's version; 0: this is another MPI, or does not say."""
    for word in _ask(ctx, wrapper, "--showme:version") or []:
        if word[:1].isdigit():
            return int(word.split(".")[0])
    return 0

def _launcher(ctx, wrapper, flavor):
    """The launcher beside the wrapper: mpicc.mpich goes with mpiexec.mpich."""
    suffix = wrapper.basename[len("mpicc"):] if wrapper.basename.startswith("mpicc") else ""
    names = ["mpirun", "mpiexec"] if flavor == "openmpi" else ["mpiexec", "mpirun"]
    for name in names:
        path = wrapper.dirname.get_child(name + suffix)
        if path.exists:
            return path
    return ctx.which("srun") or ""

def _include_directories(ctx, flags):
    """Links the wrapper's include directories into the repository."""
    names = []
    for flag in flags:
        if flag.startswith("-I"):
            name = "include_%d" % len(names)
            ctx.symlink(flag[len("-I"):], name)
            names.append(name)
    return names

def _absent(ctx):
    """A repository that loads, so that tests can be left out, but builds nothing."""
    ctx.file("BUILD", "", executable = False)
    ctx.file("defs.bzl", """MPI_FLAVOR = ""
MPI_VERSION = 0
MPI_WRAPPER = ""
MPI_LAUNCHER = ""
""", executable = False)

def _system_mpi_impl(ctx):
    wrapper, description = _find(ctx)
    if not wrapper:
        return _absent(ctx)
    flavor, compiling, linking = description
    includes = _include_directories(ctx, compiling)
    ctx.file("BUILD", """load("@rules_cc//cc:cc_library.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "mpi",
    hdrs = glob([name + "/**" for name in {includes}], allow_empty = True),
    # The C++ bindings are long gone from the standard.
    defines = ["OMPI_SKIP_MPICXX=1", "MPICH_SKIP_MPICXX=1"],
    includes = {includes},
    linkopts = {linkopts},
)
""".format(
        includes = repr(includes),
        linkopts = repr([
            flag
            for flag in linking
            if flag[:2] in ["-L", "-l"] or flag.startswith("-Wl,") or flag == "-pthread"
        ]),
    ), executable = False)
    ctx.file("defs.bzl", "\n".join([
        '"""The MPI that @mpi stands for; see //third_party/mpi:mpi.bzl."""',
        "MPI_FLAVOR = " + repr(flavor),
        "MPI_VERSION = %d" % (_open_mpi_version(ctx, wrapper) if flavor == "openmpi" else 0),
        "MPI_WRAPPER = " + repr(str(wrapper)),
        "MPI_LAUNCHER = " + repr(str(_launcher(ctx, wrapper, flavor))),
        "",
    ]), executable = False)

system_mpi = repository_rule(
    implementation = _system_mpi_impl,
    doc = "The installed MPI, asked from its compiler wrapper.",
    attrs = {
        "flavor": attr.string(doc = """openmpi or mpich, whatever the environment says. Where it is not
installed, the repository is empty and its MPI_LAUNCHER is empty."""),
    },
    environ = ["MPICC", "MAGPIE_MPI", "PATH"],
    local = True,
)
