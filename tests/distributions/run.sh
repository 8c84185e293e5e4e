#!/bin/bash
# Makes a bare root of a Debian release, and runs the README's commands there, in
# a clone of the last commit: what a new machine of that release would see.
#
# Usage: tests/distributions/run.sh RELEASE [COMMAND [ARGS...]]
#   RELEASE     bookworm (12), trixie (13), sid, or any other that debootstrap knows
#   COMMAND     one command to run in the clone, instead of ./demo and ./test
#
# Prints the time and the exit status of each command. The root stays in
# $MAGPIE_ROOTS (/var/tmp/magpie-roots) for the next call, which makes the clone
# anew; remove RELEASE's folder there for a new machine.
#
# Needs to be root, and debootstrap and git. Exits with status 0 if all commands
# did, 1 if one did not, 2 if the root could not be made.
set -euo pipefail
case ${1-} in
  '' | -*) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
           [[ ${1-} == -h || ${1-} == --help ]] && exit 0 || exit 2 ;;
esac
release=$1
shift
here=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
root=${MAGPIE_ROOTS:-/var/tmp/magpie-roots}/$release

if [[ $(id -u) -ne 0 ]] || ! command -v debootstrap > /dev/null; then
  echo "distributions: must be run as root, where debootstrap is installed" >&2
  exit 2
fi
if [[ ! -e $root/made ]]; then
  rm -rf "$root"
  mkdir -p "$root"
  if ! debootstrap --variant=minbase "$release" "$root" > "$root.log" 2>&1; then
    echo "distributions: debootstrap failed: $root.log" >&2
    exit 2
  fi
  : > "$root/made"
fi
cp --dereference /etc/resolv.conf /etc/hosts "$root/etc"

rm -rf "$root/magpie"
git clone -q "$here" "$root/magpie"

# Runs a command in the clone, below the root, in namespaces of its own: what it
# leaves running ends with it. The root is a mount of its own (pivot_root), since
# below a plain chroot the kernel refuses user namespaces.
below() {
  unshare --mount --pid --uts --ipc --fork --kill-child --propagation=private \
    bash -euc '
      root=$1
      shift
      mount --bind "$root" "$root"
      cd "$root"
      mount --rbind /dev dev
      mount -t tmpfs -o mode=1777 none dev/shm
      mount -t proc none proc
      mount --rbind /sys sys
      pivot_root . mnt
      umount --lazy /mnt
      cd /magpie
      exec env --ignore-environment HOME=/root TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        CI="${CI-}" "$@"
    ' below "$root" "$@"
}

# Runs a command and says how it ended.
status=0
try() {
  local ended=0 begun=$SECONDS
  below "$@" < /dev/null || ended=$?
  echo "distributions: $release: $*: status $ended, $((SECONDS - begun)) s"
  [[ $ended -eq 0 ]] || status=1
}

if [[ $# -gt 0 ]]; then
  try "$@"
else
  try ./demo
  try ./test
fi
exit "$status"
