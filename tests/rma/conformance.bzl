"""The RMA conformance suite on a backend."""

def rma_conformance_binary(name, backend):
    """The program that runs all cases of the suite on `backend`, in as many ranks as its flags say."""
    native.cc_binary(
        name = name,
        testonly = 1,
        srcs = [Label("//tests/rma:main.cc")],
        linkstatic = 1,
        deps = [
            Label("//tests/rma:cases"),
            Label("//common/testing"),
            backend,
        ],
    )

def rma_conformance_test(name, binary, args, tags = []):
    """Runs `binary` with `args`, as a test."""
    native.sh_test(
        name = name,
        size = "medium",
        timeout = "short",
        srcs = [Label("//common/testing:run.sh")],
        args = ["$(rootpath %s)" % binary] + args,
        data = [binary],
        tags = ["cpu:2"] + tags,
    )
