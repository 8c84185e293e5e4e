"""What the figures of cluster22 share: where they are published, and which runtime stands for which of its systems."""

ARTIFACT = "medians of the paper's artifact (`bench/published`)"
# Of each series of Fig. 6 our runtime, and the build of the paper's system.
SERIES = {"greedy join": ("cont_greedy", "greedy_gc"), "local collection": ("cont_stalling_system", "waitq_gc"),
          "baseline": ("cont_baseline", "waitq"), "child (Full)": ("child_full_system", "child_stealing_ult"),
          "child (RtC)": ("child_rtc", "child_stealing")}
