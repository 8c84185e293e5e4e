#!/bin/bash
# A simulation depends neither on the compiler nor on its level of optimization.
# Builds the simulator and traffic.cc anew, at the lowest level with clang, if it
# is installed, and at the highest with gcc, and compares their output with that
# of Bazel's build, which is between them.
#
# Usage: compilers_test.sh TRAFFIC LIBRARIES
# TRAFFIC is Bazel's build. LIBRARIES have the parts that are not compiled anew: the
# command line, which decides nothing, and the assembly. The sources are in the
# current directory.
set -euo pipefail

traffic=$1
shift
out=$TEST_TMPDIR
# Flags of .bazelrc and magpie.bazelrc; those for speed and safety are left out.
flags=(-std=c++20 -Wall -Wextra -fno-pie -fno-stack-protector -fcf-protection=none)

# One file of all sources but those of flags, which takes less time.
{ grep -LE '#include [<"](CLI/|common/flags/)' \
    common/rma/*.cc common/rma/sim/*.cc common/rma/sim/*/*.cc
  printf '%s\n' common/rma/sim/engine/memory.cc tests/sim/traffic.cc
} | sed 's/.*/#include "&"/' > "$out/program.cc"
for source in engine/{effects,turns,memory} machine/presets operations; do
  grep -q "sim/$source.cc" "$out/program.cc"
done

read -ra abseil <<< "$(pkg-config --libs --static absl_strings absl_str_format absl_time)"

# build COMPILER LEVEL: makes $out/COMPILER$LEVEL.
build() {
  local compiler=$1 level=$2
  local to=$out/$(basename "$compiler")$level
  "$compiler" "${flags[@]}" "$level" -I. -c "$out/program.cc" -o "$to.o"
  "$compiler" -no-pie "$to.o" "${libraries[@]}" "${abseil[@]}" -o "$to"
}

# Prints the options of each run, a line each.
runs() {
  echo --ranks=1
  echo --ranks=7 --net=ito_a,node_size=3
  echo --ranks=100 --net=fx10 --steps=100
  for memory in sc tso pso; do
    for seed in 1 2 3; do
      echo --ranks=4 --explore --seed=$seed --memory=$memory
    done
  done
}

# record PROGRAM: prints the hash, the checksum and all virtual figures of each run.
record() {
  while read -ra options; do
    echo "${options[*]}:" "$("$1" "${options[@]}" --sim_stats 2>&1 | sed 's/ real_seconds=.*//' | sort)"
  done < <(runs)
}

libraries=("$@" "$@") # twice, since they need each other
lowest=clang++
if ! command -v clang++ > /dev/null; then
  echo "SKIPPED for clang++, which is not installed: gcc alone"
  lowest=g++
fi

record "$traffic" > "$out/expected"
cat "$out/expected"
grep -q 'hash=[0-9a-f]*' "$out/expected"

build "$lowest" -O0 &
build g++ -O3
wait $!

failures=0
for program in "$lowest-O0" g++-O3; do
  record "$out/$program" > "$out/actual"
  if diff "$out/expected" "$out/actual" > "$out/difference"; then
    echo "$program: the same"
  else
    echo "FAILED: $program is not like Bazel's build:"
    cat "$out/difference"
    ((++failures))
  fi
done
((failures == 0)) && echo PASSED
exit $((failures > 0))
