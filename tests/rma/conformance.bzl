"""The RMA conformance suite on a backend."""

load("//third_party:rules.bzl", "cc_binary")
load("//common/testing:run.bzl", "run_test")

def rma_conformance_binary(name, backend):
    """The program that runs all cases of the suite on `backend`, in as many ranks as its flags say."""
    cc_binary(
        name = name,
        testonly = 1,
        deps = [
            Label("//tests/rma:cases"),
            Label("//common/testing"),
            backend,
        ],
    )

def rma_conformance_test(name, binary, args, tags = []):
    """Runs `binary` with `args`, as a test."""
    run_test(name, [binary], args, tags = tags)
