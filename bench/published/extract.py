#!/usr/bin/env python3
"""What cluster22 publishes behind its tables and figures, as one JSON object.

Usage: bench/published/extract.py ARTIFACT tables > bench/published/cluster22_ito_a.json
       bench/published/extract.py ARTIFACT figures > bench/published/cluster22_figures.json

ARTIFACT is a clone of https://github.com/s417-lama/cluster22-contsteal-artifact
with its files, or without: it is read by `git show`, of HEAD. What was run is
in raw_results. A log has the totals of each run over all ranks. The builds have
the names of the artifact: greedy_gc, waitq_gc (stalling join), waitq (with the
lock queue), child_stealing_ult (Full) and child_stealing (RtC).

Of tables, on ITO-A with 576 cores, one log for each benchmark, build and N:

  raw      of each benchmark, N and build with counts the median over the 100
           runs of each column of Table II. A mean time, or size, is that of one
           run, its total by its count. The counts are those of builds that
           profile; unprofiled_seconds are those of the others. Of LCS the
           seconds alone, without the first run, a warm-up
  printed  Tables II and III, typed from the paper. They are means, Table II
           those of another campaign than the logs

Of figures, behind Fig. 6, 8, 9 and 12:

  loops  PFor and RecPFor on WISTERIA-O with 1728 cores: of each benchmark, N
         and build the columns of Table II as medians over the runs, the seconds
         of builds that do not profile beside, and leaf_ns, a leaf's time by
         their own measurement
  uts    of each machine, system (madm is the paper's own), tree and number of
         cores the median seconds of the last 100 runs, with least and most
  lcs    of each machine, N and number of cores the same of the last 10 runs, or
         of the last 100 where there are more than 20

A log that a partial clone lacks is named on standard error and, of figures, left
out.
"""

import json
import re
import statistics
import subprocess
import sys

BUILDS = ("greedy_gc", "waitq_gc", "waitq", "child_stealing_ult", "child_stealing")
SIZES = {"pfor": [2**i for i in range(16, 26)], "recpfor": [2**i for i in range(15, 23)]}
FOLDERS = {"pfor": "pfor", "recpfor": "rrm"}
MACHINES = {"ito_a": ("ito-a", 36), "wisteria_o": ("wisteria-o", 48)}
WISTERIA_SIZES = {"pfor": [147456 * 2**i for i in range(10)], "recpfor": [2**i for i in range(16, 24)]}
COLUMNS = ("seconds", "outstanding_joins", "outstanding_join_us", "steals", "steal_us", "failed_steals",
           "failed_steal_us", "stolen_bytes", "task_copy_us")
# Seconds, outstanding joins and us each, steals and us each, failed steals, bytes, us for a copy.
TABLE_2 = {
    ("pfor", 2**25): {
        "greedy_gc": (2.98, 8672, 14.1, 72831, 28.8, 1108412, None, 1789, 5.85),
        "waitq_gc": (2.98, 6832, 13965.4, 74091, 28.9, 1089578, None, 1687, 6.02),
        "child_stealing_ult": (3.07, 45920, 1016.3, 76583, 27.7, 4936210, None, 56, 3.76),
        "child_stealing": (3.01, 61005, 17096.3, 75777, 27.1, 2661418, None, 56, 3.83)},
    ("recpfor", 2**22): {
        "greedy_gc": (8.30, 56876, 15.0, 474991, 31.6, 2853760, None, 1845, 5.72),
        "waitq_gc": (8.33, 72546, 8128.6, 807097, 30.4, 2561299, None, 1790, 5.68),
        "child_stealing_ult": (9.31, 3208417, 8237.9, 6038858, 29.3, 16656796, None, 55, 4.18),
        "child_stealing": (48.64, 40797378, 297.6, 45092301, 59.5, 1471927098, None, 55, 8.53)}}
TABLE_3 = {
    2**18: {"greedy_gc": 0.569, "waitq_gc": 3.44, "child_stealing_ult": 93.1},
    2**22: {"greedy_gc": 45.9, "waitq_gc": 433, "child_stealing_ult": 2.11e4}}


def git(artifact, *arguments):
    return subprocess.run(["git", "-C", artifact] + list(arguments), stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def median(values):
    return float("%.6g" % statistics.median(values))


def seconds_of(log):
    return [int(ns) / 1e9 for ns in re.findall(r"^\[\d+\] (\d+) ns", log, re.M)]


def totals_of(log, event):
    """(sum, count) of each run; times are in ns."""
    form = r"^\s*%s\s*:.*?(\d+)(?: ns)? /\s*\d.*?count:\s*(\d+)" % event
    return [(int(total), int(count)) for total, count in re.findall(form, log, re.M)]


def medians_of(log):
    seconds = seconds_of(log)
    joins, steals, failed, copies = (totals_of(log, event) for event in
                                     ("join_outstanding", "steal_success", "steal_fail", "steal_task_copy"))
    sizes = [(int(total), int(count)) for total, count in
             re.findall(r"^\s*steal_task_size\s*:.*\(\s*(\d+) /\s*(\d+)", log, re.M)]
    if {len(runs) for runs in (joins, steals, failed, copies, sizes)} != {len(seconds)}:
        sys.exit("a log whose runs do not all tell the same events")
    values = [seconds]
    for runs in (joins, steals, failed):
        values += [[count for _, count in runs], [total / max(count, 1) / 1000 for total, count in runs]]
    values += [[total / max(count, 1) for total, count in sizes],
               [total / max(count, 1) / 1000 for total, count in copies]]
    return dict(zip(COLUMNS, (median(runs) for runs in values)), runs=len(seconds))


def logs_of(artifact, folder):
    """(path, text) of each log in a folder that is there."""
    paths = git(artifact, "ls-tree", "-r", "HEAD", "--name-only", "raw_results/" + folder).split()
    for path in paths:
        if path.endswith(".txt"):
            try:
                yield path, git(artifact, "show", "HEAD:" + path)
            except subprocess.CalledProcessError:
                print("%s is not in this clone" % path, file=sys.stderr)


def folders_of(artifact, machine, begin):
    names = git(artifact, "ls-tree", "-d", "HEAD:raw_results/" + machine, "--name-only").split()
    return [name for name in names if name.startswith(begin)]


def spread(seconds):
    return {"seconds": median(seconds), "least": min(seconds), "most": max(seconds), "runs": len(seconds)}


def number(text, name):
    return int(re.search(r"^%s:? *(\d+)" % re.escape(name), text, re.M).group(1))


def uts_of(artifact):
    for machine, (folder, cores) in MACHINES.items():
        groups = [("madm", name) for name in folders_of(artifact, folder, "uts_")]
        groups += [(system, system) for system in ("saws", "charm", "x10") if machine == "ito_a"]
        for system, name in groups:
            for path, log in logs_of(artifact, folder + "/" + name):
                seconds = seconds_of(log)[-100:]
                [nodes] = re.findall(r"/node_(\d+)_", path)
                one = "onecore" in path or "serial" in path or "core_1_" in path
                if seconds:
                    yield dict(machine=machine, system="serial" if "_serial_" in path else system,
                               tree=re.search(r"_(T\w+?)_", path + "_").group(1) if system == "madm"
                               else re.search(r"tree_(T\w+)\.txt", path).group(1),
                               ranks=1 if one else int(nodes) * cores, **spread(seconds))


def lcs_of(artifact):
    for machine, (folder, _) in MACHINES.items():
        for name in folders_of(artifact, folder, "lcs_"):
            for _, log in logs_of(artifact, folder + "/" + name):
                seconds = seconds_of(log)
                if len(seconds) > 2:
                    yield dict(machine=machine, n=number(log, "N (Input size)"), ranks=number(log, "# of processes"),
                               **spread(seconds[-100:] if len(seconds) > 20 else seconds[-10:]))


def loops_of(artifact):
    for benchmark, sizes in WISTERIA_SIZES.items():
        for build in BUILDS:
            folder = "wisteria-o/sched_%s_size_n_no_buf_madm_%s%%s_node_3x4x3-mesh" % (FOLDERS[benchmark],
                                                                                       build)
            plain = {number(log, "N (Input size)"): log for _, log in logs_of(artifact, folder % "")}
            profiled = {number(log, "N (Input size)"): log for _, log in logs_of(artifact, folder % "_prof")}
            for n in sizes:
                row = dict(benchmark=benchmark, n=n, build=build)
                if n in profiled:
                    row.update(medians_of(profiled[n]))
                if n in plain:
                    row["unprofiled_seconds"] = median(seconds_of(plain[n]))
                    works = re.findall(r"#tasks: (\d+) work: (\d+) ns", plain[n])
                    row["leaf_ns"] = round(statistics.median(int(work) / int(tasks) for tasks, work in works))
                if len(row) > 3:
                    yield row


def tables_of(artifact):
    def log_of(folder, file):
        return git(artifact, "show", "HEAD:raw_results/ito-a/%s_node_16/node_16_%s_i_1.txt" % (folder, file))

    raw = []
    for benchmark, n, build in [(benchmark, n, build) for benchmark in SIZES for n in SIZES[benchmark]
                                for build in BUILDS]:
        folder, file = "sched_%s_size_n_no_buf_madm_%s" % (FOLDERS[benchmark], build), "n_%d_m_10000" % n
        raw.append(dict(benchmark=benchmark, n=n, build=build, **medians_of(log_of(folder + "_prof", file)),
                        unprofiled_seconds=median(seconds_of(log_of(folder, file)))))
    for n in TABLE_3:
        seconds = seconds_of(log_of("lcs_%d_512_allcore_madm_future_multi" % n, "n_%d_m_512" % n))[1:]
        raw.append(dict(benchmark="lcs", n=n, build="greedy_gc", seconds=median(seconds),
                        least=min(seconds), most=max(seconds), runs=len(seconds)))
    printed = [dict(zip(COLUMNS, row), benchmark=benchmark, n=n, build=build)
               for (benchmark, n), rows in TABLE_2.items() for build, row in rows.items()]
    printed += [dict(benchmark="lcs", n=n, build=build, seconds=seconds)
                for n, rows in TABLE_3.items() for build, seconds in rows.items()]
    return dict(raw=raw, printed=printed)


def figures_of(artifact):
    return dict(loops=loops_of(artifact), uts=uts_of(artifact), lcs=lcs_of(artifact))


def main(arguments):
    parts = {"tables": tables_of, "figures": figures_of}
    if len(arguments) != 2 or arguments[1] not in parts:
        sys.exit(__doc__.split("\n\n")[1])
    artifact, of = arguments
    print('{"source": "s417-lama/cluster22-contsteal-artifact, commit %s",'
          % git(artifact, "rev-parse", "HEAD").strip())
    print(",\n".join(' "%s": [\n  %s]' % (name, ",\n  ".join(json.dumps(row) for row in rows))
                     for name, rows in parts[of](artifact).items()) + "}")


if __name__ == "__main__":
    main(sys.argv[1:])
