"""Says which package may depend on which: the arrows of the repository's layers.

    tests, bench, examples  ->  root, runtimes  ->  impl/*  ->  common/*

Never up. Only this tells: who composes a runtime elsewhere may use every part, so visibility allows all of them. impl/X
never depends on impl/Y; common/rma knows nothing of tasks; common/context knows nothing of RMA; what every work stealer
needs knows nothing of fork and join.
"""

# The layers, lowest first. A layer may depend on itself and on those below it.
LAYERS = ["third_party", "tools", "common", "impl", "runtimes", "root", "examples", "bench", "tests"]

# Packages that may depend only on these packages of the repository (and third_party).
CLOSED = {
    "common/rma": {"common/rma", "common/flags"},
    "common/context": {"common/context"},
    "common/flags": {"common/flags"},
    "common/testing": {"common/testing", "common/rma", "common/flags"},
    "common/trace": {"common/trace", "common/testing", "common/rma", "common/flags"},
    "common/stealing": {"common/stealing", "common/trace", "common/testing", "common/rma", "common/flags"},
    "common/remote_heap": {"common/remote_heap", "common/testing", "common/rma", "common/flags"},
    "common/run": {"common/run", "common/stealing", "common/trace", "common/testing", "common/rma", "common/flags"},
}

# Packages that one of them may use besides.
ALSO = {
    # The simulator's ranks are fibers.
    "//common/rma/sim/engine": {"common/context"},
    # This backend calls MPI on a separate stack.
    "//common/rma/mpi": {"common/context"},
}


def part(label):
    """("impl", "impl/uniaddr") of //impl/uniaddr/x:y: layer and component."""
    path = label[len("//"):].split(":")[0].split("/")
    if path == [""]:
        return "root", "root"
    return path[0], "/".join(path[:2])


def violation(user, used):
    """Says why `user` must not depend on `used`, both labels of the repository; or None."""
    user_layer, user_part = part(user)
    used_layer, used_part = part(used)
    for layer in (user_layer, used_layer):
        if layer not in LAYERS:
            return "%s is no layer" % layer
    if LAYERS.index(used_layer) > LAYERS.index(user_layer):
        return "%s never depends on %s" % (user_layer, used_layer)
    if user_layer == used_layer == "impl" and user_part != used_part:
        return "%s never depends on %s" % (user_part, used_part)
    allowed = CLOSED.get(user_part, {used_part}) | ALSO.get(user.split(":")[0], set())
    if used_layer != "third_party" and used_part not in allowed:
        return "%s never depends on %s" % (user_part, used_part)
    return None


def violations(edges):
    """Returns one line per forbidden (user, used) pair; edges to @other are free."""
    return ["%s -> %s: %s" % (user, used, reason) for user, used in edges
            if used.startswith("//") and (reason := violation(user, used))]
