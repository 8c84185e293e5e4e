"""Tests the times of steals by their volume, on shm and on a simulated machine."""

import json

from program_checks import ProgramTest, check_refusals, over

SHM = "bench/microbenchmarks/steal_volume"
SIM = "bench/microbenchmarks/steal_volume_sim"
# Each rank is a node.
LOTUS = ["--ranks=2", "--net=lotus,node_size=1"]


class StealVolumeTest(ProgramTest):
    def steals(self, *command):
        report = self.run_json(command)
        self.assertEqual(report["program"], "steal_volume")
        steals = report["result"]["steals"]
        for steal in steals:
            self.assertGreater(min(steal["sdc_ns"], steal["sws_ns"]), 0)
            self.assertAlmostEqual(steal["ratio"], steal["sws_ns"] / steal["sdc_ns"])
        return report, steals

    @over("ranks, most, volumes", ((2, 16, [1, 2, 4, 8, 16]), (3, 5, [1, 2, 4])))
    def test_rows(self, ranks, most, volumes):
        report, steals = self.steals(
            SHM, "--ranks=%d" % ranks, "--max_volume=%d" % most, "--repetitions=20")
        self.assertEqual((report["backend"], report["ranks"]), ("shm", ranks))
        self.assertEqual(report["params"], {"max_volume": most, "repetitions": 20})
        self.assertEqual(
            [(steal["task_bytes"], steal["tasks"]) for steal in steals],
            [(size, volume) for size in (24, 192) for volume in volumes])

    def test_simulated(self):
        """SDC takes three round trips of 2 us more, for any volume; a byte costs what the network says."""
        report, steals = self.steals(SIM, *LOTUS, "--repetitions=20")
        self.assertEqual(report["machine"], "lotus,node_size=1")
        self.assertEqual(len(steals), 22)
        for steal in steals:
            with self.subTest(steal=steal):
                self.assertAlmostEqual(steal["sdc_ns"] - steal["sws_ns"], 6000, delta=10)
        self.assertAlmostEqual(steals[0]["ratio"], 0.41, delta=0.01)
        self.assertAlmostEqual(steals[-1]["ratio"], 0.77, delta=0.01)
        self.assertEqual(report, self.steals(SIM, *LOTUS, "--repetitions=20")[0])

    def test_lines(self):
        lines = self.printed(SIM, *LOTUS, "--max_volume=2", "--repetitions=1").splitlines()
        steals = [json.loads(line) for line in lines]
        self.assertEqual([(steal["task_bytes"], steal["tasks"]) for steal in steals],
                         [(size, volume) for size in (24, 192) for volume in (1, 2)])

    def test_refusals(self):
        refused = [
            (["--ranks=1"], ["--ranks=1", "two ranks"]),
            (["--max_volume=0"], ["--max_volume", "0", "1 to 65536"]),
            (["--repetitions=x"], ["--repetitions", "x", "1 to 1000000"]),
            (["--no_such"], ["--no_such", "--max_volume", "--ranks"]),
        ]
        check_refusals(self, [([binary] + flags, words) for flags, words in refused for binary in (SHM, SIM)])
