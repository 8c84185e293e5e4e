"""The runtimes, by kind: those of the menu, and variants of them.

Nothing but lists and dictionaries: BUILD files load them, and bench/demo/menu.py
reads them as Python. README.md says what the names mean.
"""

MENU = {
    "serial": ["serial"],
    "continuations": [
        "cont_greedy",
        "cont_greedy_sws",
        "cont_stalling",
        "cont_baseline",
    ],
    "children": [
        "child_full",
        "child_rtc",
    ],
    "pool_serial": ["pool_serial"],
    "bags": [
        "pool_sdc",
        "pool_sws",
    ],
    "lifelines": [
        "pool_glb",
        "pool_glb_hybrid",
    ],
}

# Their sources are in variants.
VARIANTS = {
    "continuations": [
        "cont_greedy_linked",
        "cont_stalling_system",
    ],
    "children": [
        "child_full_system",
        "child_full_tuned",
    ],
    "bags": ["pool_sws_first"],
    "lifelines": ["pool_glb_hybrid_sdc"],
}

RUNTIMES = {kind: names + VARIANTS.get(kind, []) for kind, names in MENU.items()}
