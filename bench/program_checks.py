"""Runs programs of //bench and checks their output and their refusals: for tests."""

import subprocess


def run(*command):
    """(exit status, standard output, standard error)."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_refusals(test, cases):
    """Expects of each (command, words) status 2, and nothing but one line with all the words."""
    for command, words in cases:
        with test.subTest(command=command):
            status, output, errors = run(*command)
            test.assertEqual((status, output, errors.count("\n")), (2, "", 1), errors)
            for word in words:
                test.assertIn(word, errors)


def check_per_rank(test, report):
    """Checks that the figures of the ranks agree with those of the whole run."""
    metrics, ranks = report["metrics"], report["ranks"]
    per_rank = metrics["per_rank"]
    for name, total in (("tasks", metrics["spawns"]), ("steals_ok", metrics["steals_ok"])):
        least, most = per_rank[name]["least"], per_rank[name]["most"]
        test.assertTrue(ranks * least <= total <= ranks * most, (name, per_rank, total))
        # The other ranks have at least as much as the one with the least, at most as much as the one with the most.
        test.assertTrue(most + (ranks - 1) * least <= total <= least + (ranks - 1) * most, (name, per_rank, total))
    for name in ("busy_s", "idle_s"):
        test.assertTrue(0 <= per_rank[name]["least"] <= per_rank[name]["most"], per_rank)
    busy, idle = per_rank["busy_s"], per_rank["idle_s"]
    if busy["most"] + idle["most"] == 0:
        # Plain calls cost nothing on a simulated machine.
        test.assertEqual((metrics["busy_share"], report["seconds"]), (0, 0))
        return
    # The share if all ranks were as little busy and as idle as any rank is, or the other way round.
    shares = [busy["least"] / (busy["least"] + idle["most"]), busy["most"] / (busy["most"] + idle["least"])]
    test.assertTrue(0 < metrics["busy_share"] <= 1, metrics)
    test.assertTrue(shares[0] - 1e-9 <= metrics["busy_share"] <= shares[1] + 1e-9, (shares, metrics))
    if report["runtime"] == "pool_glb_hybrid" and report["backend"] == "sim" and ranks > 1:
        # A manager has no tasks, and waits.
        test.assertEqual(per_rank["tasks"]["least"], 0)
        test.assertLess(busy["least"], idle["most"] / 2)
    if ranks == 1:
        test.assertEqual((busy["most"], idle["most"]), (busy["least"], idle["least"]))
        test.assertAlmostEqual(busy["most"] + idle["most"], report["seconds"], places=6)
