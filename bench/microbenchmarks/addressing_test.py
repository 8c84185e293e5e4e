"""Tests that threads keep their addresses under two schemes, and the counts of pages and page faults."""

import json
import os

from program_checks import ProgramTest, check_refusals, over

SHM = "bench/microbenchmarks/addressing"
PAGE = os.sysconf("SC_PAGESIZE")
# The default stack, in whole pages.
STACK = max(16 << 10, PAGE)
# Most bytes that a frame holds besides.
MARGIN = 1024
# The visit to the first victim, to the others, and to all of them again.
PHASES = ("first", "others", "again")


class AddressingTest(ProgramTest):
    def schemes(self, *command):
        """(iso-address, uni-address); all threads found their frames unchanged."""
        report = self.run_json(command)
        self.assertEqual(report["program"], "addressing")
        schemes = report["result"]["schemes"]
        self.assertEqual([scheme["scheme"] for scheme in schemes], ["iso-address", "uni-address"])
        self.assertEqual([scheme["right"] for scheme in schemes], [True] * 2)
        return schemes

    @over("ranks, threads, frame", ((3, 40, 2896), (4, 100, 2896), (5, 20, 8 << 10)))
    def test_counts(self, ranks, threads, frame):
        schemes = self.schemes(SHM, "--ranks=%d" % ranks, "--threads=%d" % threads, "--frame_bytes=%d" % frame)
        iso, uni = schemes
        for scheme in schemes:
            visits = scheme["visits"]
            for phase, of_phase in zip(PHASES, (visits[:1], visits[1:ranks - 1], visits[ranks - 1:])):
                scheme[phase] = {name: sum(visit[name] for visit in of_phase) for name in visits[0]}
        others = ranks - 2
        for scheme in schemes:
            self.assertGreaterEqual(scheme["stolen_bytes"], frame)
            self.assertLess(scheme["stolen_bytes"], frame + MARGIN)
            # The first steal is left out.
            self.assertEqual([scheme[phase]["steals"] for phase in PHASES],
                             [(threads - 1) * victims for victims in (1, others, 1 + others)])
            for phase in PHASES:
                self.assertGreaterEqual(scheme[phase]["page_faults"], scheme[phase]["new_pages"])

        # Each thread of each rank has its own pages, until all threads were there once.
        for phase in PHASES[:2]:
            self.assertGreaterEqual(iso[phase]["new_pages"], iso[phase]["steals"] * (1 + frame // PAGE))
        self.assertEqual(iso["again"]["new_pages"], 0)
        self.assertGreaterEqual(iso["thief_pages"], (ranks - 1) * threads)

        # Uni-address needs the pages of one lineage, of any rank.
        self.assertLess(uni["first"]["new_pages"], iso["first"]["new_pages"])
        lineage = threads * uni["stolen_bytes"]
        self.assertAlmostEqual(uni["thief_pages"], lineage / PAGE, delta=2)
        for phase in PHASES[1:]:
            self.assertEqual(uni[phase]["new_pages"], 0)
            # There are none, but the kernel may take a page away for a while.
            self.assertLess(uni[phase]["page_faults"], uni[phase]["steals"] / 10)

    def test_reserved(self):
        few, many = (self.schemes(SHM, "--ranks=%d" % ranks, "--threads=10") for ranks in (3, 6))
        self.assertEqual([scheme["reserved_bytes"] for scheme in few],
                         [3 * 10 * STACK, 10 * (2896 + MARGIN) + STACK])
        self.assertEqual(many[0]["reserved_bytes"], 2 * few[0]["reserved_bytes"])
        self.assertEqual(many[1]["reserved_bytes"], few[1]["reserved_bytes"])
        # hpdc15 §4: more addresses than a processor has.
        self.assertEqual(few[0]["paper_bytes"], 2**49)
        self.assertLess(few[1]["paper_bytes"], 32 << 20)

    def test_lines(self):
        lines = self.printed(SHM, "--ranks=3", "--threads=10").splitlines()
        schemes = [json.loads(line) for line in lines]
        self.assertEqual([scheme["scheme"] for scheme in schemes], ["iso-address", "uni-address"])
        self.assertEqual([visit["steals"] for visit in schemes[1]["visits"]], [9] * 4)

    def test_refusals(self):
        check_refusals(self, [([SHM] + flags, words) for flags, words in (
            (["--ranks=2"], ["--ranks=2", "two victims"]),
            (["--ranks=3", "--frame_bytes=64K"], ["--frame_bytes=64K", "--stack_bytes=16K"]),
            (["--ranks=4", "--threads=1048576", "--stack_bytes=1G"], ["--ranks=4", "_bytes"]),
            (["--threads=1"], ["--threads", "1", "2 to 1048576"]),
            (["--no_such"], ["--no_such", "--threads", "--ranks"]))])
