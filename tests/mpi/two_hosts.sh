#!/bin/bash
# Two hosts on one machine: two network namespaces with a pair of virtual
# Ethernet devices between them, each with a host name, an address and a
# /dev/shm of its own.
#
# Usage: two_hosts.sh COMMAND [ARGS...]
#
# COMMAND runs on the host a. There `mpirun --host a,b` (Open MPI) and
# `mpirun -hosts a,b` (MPICH) start processes on both, and these reach each other
# by TCP alone. Exits as COMMAND does, or with status 77 and a line that says why
# where namespaces are not allowed. All processes end with it, and no file is
# left, however it ends.
set -uo pipefail

refuse() {
  echo "no two hosts here: $1" >&2
  exit 77
}

if [[ ${MAGPIE_TWO_HOSTS-} != inside ]]; then
  command -v ip > /dev/null || refuse "ip is not installed (iproute2)"
  spaces=(--user --map-root-user --mount --net --uts --ipc --pid)
  spaces+=(--fork --kill-child --mount-proc)
  why=$(unshare "${spaces[@]}" true 2>&1) || refuse "$why"
  MAGPIE_TWO_HOSTS=inside exec unshare "${spaces[@]}" "${BASH_SOURCE[0]}" "$@"
fi
unset MAGPIE_TWO_HOSTS

# /sys is where UCX reads the names of networks; not all containers allow to
# mount it.
name() {
  hostname "$1" && ip link set lo up && { mount -t sysfs none /sys 2> /dev/null || true; }
}
export -f name

# The folder of host a, and of launchers on both hosts.
export TMPDIR=/dev/shm/tmp
if ! { mount -t tmpfs none /dev/shm && mkdir "$TMPDIR" && name a; }; then
  refuse "a host cannot be set up"
fi
printf '%s\n' '127.0.0.1 localhost' '10.0.0.1 a' '10.0.0.2 b' > "$TMPDIR/hosts"
mount --bind "$TMPDIR/hosts" /etc/hosts || refuse "hosts cannot be given names"

# This process holds the namespaces of b. Its /dev/shm comes below the launchers' files.
exec {ready}< <(exec unshare --mount --net --uts --ipc bash -c '
  mount --bind $TMPDIR /sys && mount -t tmpfs none /dev/shm && mkdir $TMPDIR &&
    mount --no-mtab --move /sys $TMPDIR && name b && echo ready && exec sleep infinity')
b=$!
read -r -u "$ready" || refuse "a second host cannot be set up"

on_b=(nsenter --target "$b" --mount --net --uts --ipc --)
ip link add eth0 type veth peer name eth0 netns "$b" || refuse "no virtual Ethernet"
ip address add 10.0.0.1/24 dev eth0 && ip link set eth0 up
"${on_b[@]}" ip address add 10.0.0.2/24 dev eth0 && "${on_b[@]}" ip link set eth0 up
# The link comes up soon, but not at once.
is_up() { [[ $("$@" ip -brief link show eth0) == *" UP "* ]]; }
until is_up command && is_up "${on_b[@]}"; do ((SECONDS < 30)) || refuse "the link stays down"; done

# This script replaces ssh.
cat > "$TMPDIR/agent" << END
#!/bin/sh
case \$1 in
  a) shift; exec sh -c "\$*" ;;
  b) shift; exec ${on_b[@]} sh -c "\$*" ;;
esac
echo "no such host: \$1" >&2
exit 1
END
chmod +x "$TMPDIR/agent"
# Of Open MPI 4 and 5.
export OMPI_MCA_plm_rsh_agent=$TMPDIR/agent PRTE_MCA_plm_ssh_agent=$TMPDIR/agent
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HYDRA_LAUNCHER=rsh HYDRA_LAUNCHER_EXEC=$TMPDIR/agent

"$@"
