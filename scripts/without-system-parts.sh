#!/usr/bin/env bash
# Runs a command on a machine as it comes: the parts that .ci/run installs are taken out of sight, in a mount namespace
# of its own. Needs root, as containers of build servers have it; elsewhere it says so and runs nothing.
#   scripts/without-system-parts.sh npx vitest run test/console
set -euo pipefail
parts=(bwrap nats-server podman docker runc crun strace busybox)
if [ "${1:-}" != --inside ]; then
  if ! unshare --mount true 2>/dev/null; then
    echo "skipped: no mount namespace can be made here, so nothing can be taken out of sight"
    exit 0
  fi
  exec unshare --mount --propagation private "$0" --inside "$@"
fi
shift
for part in "${parts[@]}"; do
  for folder in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin; do
    # Nothing that is no regular file counts as a program.
    [ -f "$folder/$part" ] && mount --bind /dev/null "$(readlink -f "$folder/$part")"
  done
done
exec "$@"
