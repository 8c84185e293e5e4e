#!/bin/bash
# Fetches Debian's AArch64 libraries, which --config=aarch64 links, into a folder
# of their own. Nothing is installed and no foreign architecture added: apt-get
# works on package lists that are fetched for this and thrown away.
#
# Usage: third_party/aarch64/libraries.sh
#
# The folder is magpie/aarch64 in $XDG_CACHE_HOME, or in ~/.cache. Exits with
# status 0 when it or a system's own libraries are there, 1 when they cannot be
# fetched.
set -euo pipefail

case ${1-} in
  '') ;;
  *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
     [[ $1 == --help ]] && exit 0 || exit 2 ;;
esac

packages=(libabsl-dev libgtest-dev libgmock-dev)
# The places in which toolchain.bzl looks for them.
libraries=/usr/lib/aarch64-linux-gnu
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
folder=$cache/magpie/aarch64

# has_all ROOT
has_all() {
  local archive
  for archive in absl_base gmock gtest; do
    [[ -e $1$libraries/lib$archive.a ]] || return 1
  done
}
if has_all "" || has_all "$folder"; then exit 0; fi

[[ $cache == /* ]] || exit 1
type apt-get dpkg-deb > /dev/null || exit 1
mkdir -p "${folder%/*}" || exit 1
new=$(mktemp -d "$folder.XXXXXX") || exit 1
trap 'rm -rf "$new"' EXIT
mkdir -p "$new"/{state/lists,cache/archives}/partial "$new"/{debs,root}
touch "$new/status"
apt_get() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
    -o Dir::State="$new/state" -o Dir::State::status="$new/status" \
    -o Dir::Cache="$new/cache" -o APT::Sandbox::User=root \
    -o Acquire::Retries=0 "$@" < /dev/null >&2
}
echo "fetching AArch64's ${packages[*]}" >&2
# A source without packages for arm64 does no harm.
apt_get update || true
cd "$new/debs"
apt_get download "${packages[@]}" || exit 1
for package in *.deb; do dpkg-deb -x "$package" "$new/root" || exit 1; done
chmod 755 "$new/root"
# Another process may have been faster.
if ! has_all "$folder"; then
  rm -rf "$folder"
  mv -T "$new/root" "$folder"
fi
has_all "$folder"

# A running Bazel server would not look again.
cd - > /dev/null
if command -v bazel > /dev/null; then bazel shutdown; fi
