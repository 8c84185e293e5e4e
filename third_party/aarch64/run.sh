#!/bin/sh
# Runs a program of either processor, an AArch64 one under qemu-user.
#
# Usage: run.sh PROGRAM [ARGS...]
set -eu

# Byte 18 of an executable file has its machine, 183 for AArch64.
machine=$(od -An -tu1 -j18 -N1 "$1" | tr -d ' ')
if [ "$machine" != 183 ] || [ "$(uname -m)" = aarch64 ]; then exec "$@"; fi

if ! command -v qemu-aarch64 > /dev/null; then
  echo "$1 is for AArch64 and qemu-aarch64 was not found. On Debian: apt-get install qemu-user" >&2
  exit 2
fi
# qemu-user keeps a record of every page of addresses that a program reserves.
ulimit -v $((24 << 20))
exec qemu-aarch64 -L /usr/aarch64-linux-gnu "$@"
