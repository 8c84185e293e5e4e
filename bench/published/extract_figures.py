#!/usr/bin/env python3
"""What cluster22 publishes behind Fig. 6, 8, 9 and 12 and Table II, as one JSON object.

Usage: bench/published/extract_figures.py ARTIFACT > bench/published/cluster22_figures.json

ARTIFACT is a clone of the paper's artifact, as extract.py beside this takes it,
which has read PFor and RecPFor on ITO-A already. From the logs under
raw_results:

  loops  PFor and RecPFor on WISTERIA-O with 1728 cores: of each benchmark, N
         and build the columns of Table II as medians over the runs, the seconds
         of builds that do not profile beside, and leaf_ns, a leaf's time by
         their own measurement
  uts    of each machine, system (madm is the paper's own), tree and number of
         cores the median seconds of the last 100 runs, with least and most
  lcs    of each machine, N and number of cores the same of the last 10 runs, or
         of the last 100 where there are more than 20

A log that a partial clone lacks is named on standard error and left out.
"""

import re
import statistics
import subprocess
import sys

import extract

MACHINES = {"ito_a": ("ito-a", 36), "wisteria_o": ("wisteria-o", 48)}
WISTERIA_SIZES = {"pfor": [147456 * 2**i for i in range(10)], "recpfor": [2**i for i in range(16, 24)]}


def logs_of(artifact, folder):
    """(path, text) of each log in a folder that is there."""
    paths = extract.git(artifact, "ls-tree", "-r", "HEAD", "--name-only", "raw_results/" + folder).split()
    for path in paths:
        if path.endswith(".txt"):
            try:
                yield path, extract.git(artifact, "show", "HEAD:" + path)
            except subprocess.CalledProcessError:
                print("%s is not in this clone" % path, file=sys.stderr)


def folders_of(artifact, machine, begin):
    names = extract.git(artifact, "ls-tree", "-d", "HEAD:raw_results/" + machine, "--name-only").split()
    return [name for name in names if name.startswith(begin)]


def spread(seconds):
    return {"seconds": extract.median(seconds), "least": min(seconds), "most": max(seconds), "runs": len(seconds)}


def number(text, name):
    return int(re.search(r"^%s:? *(\d+)" % re.escape(name), text, re.M).group(1))


def uts_of(artifact):
    for machine, (folder, cores) in MACHINES.items():
        groups = [("madm", name) for name in folders_of(artifact, folder, "uts_")]
        groups += [(system, system) for system in ("saws", "charm", "x10") if machine == "ito_a"]
        for system, name in groups:
            for path, log in logs_of(artifact, folder + "/" + name):
                seconds = extract.seconds_of(log)[-100:]
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
                seconds = extract.seconds_of(log)
                if len(seconds) > 2:
                    yield dict(machine=machine, n=number(log, "N (Input size)"), ranks=number(log, "# of processes"),
                               **spread(seconds[-100:] if len(seconds) > 20 else seconds[-10:]))


def loops_of(artifact):
    for benchmark, sizes in WISTERIA_SIZES.items():
        for build in extract.BUILDS:
            folder = "wisteria-o/sched_%s_size_n_no_buf_madm_%s%%s_node_3x4x3-mesh" % (extract.FOLDERS[benchmark],
                                                                                       build)
            plain = {number(log, "N (Input size)"): log for _, log in logs_of(artifact, folder % "")}
            profiled = {number(log, "N (Input size)"): log for _, log in logs_of(artifact, folder % "_prof")}
            for n in sizes:
                row = dict(benchmark=benchmark, n=n, build=build)
                if n in profiled:
                    row.update(extract.medians_of(profiled[n]))
                if n in plain:
                    row["unprofiled_seconds"] = extract.median(extract.seconds_of(plain[n]))
                    works = re.findall(r"#tasks: (\d+) work: (\d+) ns", plain[n])
                    row["leaf_ns"] = round(statistics.median(int(work) / int(tasks) for tasks, work in works))
                if len(row) > 3:
                    yield row


def main(arguments):
    artifact = extract.artifact_of(arguments, __doc__)
    extract.print_object(artifact, loops=loops_of(artifact), uts=uts_of(artifact), lcs=lcs_of(artifact))


if __name__ == "__main__":
    main(sys.argv[1:])
