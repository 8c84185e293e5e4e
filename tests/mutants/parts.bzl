"""What mutants are made of: see mutants.bzl."""

def kind_of(mutant):
    if "test" in mutant:
        return "test"
    if mutant.get("runtime", "").startswith("common/task_pool"):
        return "pool_rank"
    return "pool" if mutant.get("runtime", "").startswith("pool") else "fork_join"

def edit(file, old, new):
    return dict(file = file, old = old, new = new)

def seeds(within, run):
    return dict(run = run, within = within)

def mutant(breaks, edits, explored, **more):
    return dict(breaks = breaks, edits = edits, **dict(explored, **more))

# The mutants {name: mutant()} in one place: where nothing is said, in runtimes/cont_greedy.cc.
def made(mutants, **place):
    return [dict(dict(place, name = name), **mutants[name]) for name in mutants]

# The same, and the control that they share.
def controlled(control, mutants, **place):
    return made({control: mutant("nothing", [], seeds(0, []))}, **place) + made(mutants, control = control, **place)

# No mistake, but an owner that looks for freed memory at each allocation instead of
# when it has run out, and overwrites it: small programs notice then that it is gone.
EAGER = [
    edit("cells.h", "if (bytes <= kSmallBytes) [[likely]] {", "want(kNoneLeft); if (bytes <= kSmallBytes) [[likely]] {"),
    edit("cells.h", "cell->next = free_[used->size_class];", "std::fill_n(reinterpret_cast<std::byte*>(cell), class_bytes(used->size_class) - sizeof(Cell), std::byte{0xdb}); cell->next = free_[used->size_class];"),
]
