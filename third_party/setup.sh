#!/bin/bash
# Installs the Debian packages that are missing, if it may.
#
# Usage: third_party/setup.sh demo|report|test|thorough
#   demo       packages that building and running the programs needs
#   report     also packages that draw plots: matplotlib
#   test       also packages of ./test: MPICH, GoogleTest, clang-format
#   thorough   also packages of ./test --thorough: Google Benchmark,
#              network tools, a browser that looks at the pages, and for AArch64 a
#              compiler, an emulator and libraries (aarch64/libraries.sh)
#
# Exits with status 0 when all are there, and with 2, naming the packages, when
# some are missing and it is neither root nor allowed to use sudo unasked.
# A Bazel of your own (bazelisk, say) is kept. Where there is no dpkg it asks
# only for `bazel`; the build then names libraries that are missing.
set -euo pipefail

case "${1-}" in
  demo | report | test | thorough) ;;
  *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
     [[ ${1-} == --help ]] && exit 0 || exit 2 ;;
esac
wanted=(
  bazel-bootstrap g++ pkg-config python3
  libabsl-dev libcli11-dev nlohmann-json3-dev
  openmpi-bin libopenmpi-dev
  python3-rich
)
if [[ $1 != demo ]]; then wanted+=(python3-matplotlib); fi
if [[ $1 == t* ]]; then
  wanted+=(libgtest-dev libgmock-dev mpich libmpich-dev)
  # The clang-format that judges (tests/house/format_test.py) is Debian 12's.
  if grep -qs '^VERSION_ID="12"' /etc/os-release; then wanted+=(clang-format); fi
fi
if [[ $1 == thorough ]]; then
  # The Clang whose warnings are errors (tests/house/clang_test.py) is Debian 12's.
  if grep -qs '^VERSION_ID="12"' /etc/os-release; then wanted+=(clang); fi
  wanted+=(libbenchmark-dev iproute2 chromium chromium-driver python3-selenium fonts-dejavu-core)
  # On an AArch64 machine its own packages suffice.
  if [[ $(uname -m) != aarch64 ]]; then wanted+=(g++-aarch64-linux-gnu qemu-user); fi
fi

if ! command -v dpkg-query > /dev/null; then
  command -v bazel > /dev/null && exit 0
  echo "setup: bazel was not found, and this is not Debian: install Bazel, and the contents of these Debian packages: ${wanted[*]}" >&2
  exit 2
fi

missing=()
for package in "${wanted[@]}"; do
  [[ $package == bazel-bootstrap ]] && command -v bazel > /dev/null && continue
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) || state=none
  [[ $state == installed ]] || missing+=("$package")
done

if [[ ${#missing[@]} -gt 0 ]]; then
  if [[ $(id -u) -eq 0 ]]; then
    as_root=(env)
  elif sudo -n true 2> /dev/null; then
    as_root=(sudo -n env)
  else
    echo "setup: missing, and not allowed to install; as root: apt-get install ${missing[*]}" >&2
    exit 2
  fi
  echo "setup: installing ${missing[*]}" >&2
  install=(
    "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install
    -qq --yes --no-install-recommends "${missing[@]}"
  )
  # What apt-get says is told where it fails. A fresh machine has no package lists, or old ones.
  if ! said=$("${install[@]}" 2>&1 < /dev/null) &&
    ! said=$({ "${as_root[@]}" apt-get update -qq; "${install[@]}"; } 2>&1 < /dev/null); then
    echo "$said"$'\n'"setup: apt-get could not install ${missing[*]}" >&2
    exit 2
  fi
fi

if [[ $1 == thorough ]] && ! "$(dirname "$0")/aarch64/libraries.sh"; then
  echo "setup: skipped: AArch64, whose libraries could not be fetched" >&2
fi
