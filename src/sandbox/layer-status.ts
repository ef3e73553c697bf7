// What doctor shows: each layer, whether it works here, and the one command that makes it work.
import type { CgroupProbe } from './cgroup/find-cgroups.ts'
import type { EngineName, EngineProbe } from './engine.ts'
import type { LayerStatus } from './fence.ts'

export function engineStatus(name: EngineName, { found, reason = 'not found' }: EngineProbe): LayerStatus {
  if (!found) return { name, available: false, detail: reason, fix: engineFix(name, reason) }
  const lacks = [
    ...(found.userNamespace ? [] : ['a user namespace']),
    ...(found.proc ? [] : ['a private /proc']),
    ...(found.seccomp ? [] : ['a filter on system calls']),
    ...(found.verifies ? [] : ['a way to compare its mounts (0.1.8 has one)']),
  ]
  const more = found.landlock ? ', with Landlock' : ''
  const without = lacks.length > 0 ? `, without ${lacks.join(' and ')}` : ''
  return { name, available: true, detail: `${found.path} ${found.version}${more}${without}` }
}

function engineFix(name: EngineName, reason: string): string {
  if (reason.includes('not installed'))
    return name === 'bubblewrap' ? 'apt-get install bubblewrap' : 'apt-get install perl-base'
  if (reason.includes('Linux only')) return 'run Toolcrib in a Linux machine or virtual machine'
  return 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (in a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined and without further capabilities)'
}

/** `reason`: why what calls write cannot be held (E2); undefined: it can. */
export function layerStatus(reason: string | undefined): LayerStatus {
  const name = 'changes'
  if (reason === undefined)
    return { name, available: true, detail: 'what a call writes is held apart, judged and can be undone' }
  return {
    name,
    available: false,
    detail: `calls write to the files directly: ${reason}`,
    fix: layerFix(reason),
  }
}

function layerFix(reason: string): string {
  if (reason.includes('sandbox is off')) return 'set `sandbox: preferred` in toolcrib.yaml'
  if (reason.includes('sandbox.engine')) return 'set `sandbox: { engine: launcher }` in toolcrib.yaml'
  if (reason.includes('mounted inside')) return 'keep the crib on one file system'
  if (reason.includes('with its changes in'))
    return 'set XDG_STATE_HOME to a folder outside the crib on ext4, xfs, btrfs or tmpfs'
  return engineFix('launcher', reason)
}

export function cgroupStatus({ found, reason = 'not found' }: CgroupProbe): LayerStatus {
  if (!found)
    return {
      name: 'cgroup',
      available: false,
      detail: reason,
      fix: 'systemd-run --user --scope -p Delegate=yes toolcrib serve',
    }
  const held = Object.keys(found.parents).join(', ')
  return { name: 'cgroup', available: true, detail: `version ${found.version}: ${held}` }
}

export function rlimitStatus(): LayerStatus {
  return {
    name: 'rlimits',
    available: true,
    detail: 'file size, core files; data segment where no cgroup holds',
  }
}

export function watchStatus(): LayerStatus {
  const available = process.platform === 'linux'
  return {
    name: 'watch',
    available,
    detail: available ? 'samples /proc every 100 ms where no cgroup holds' : 'there is no /proc here',
  }
}

export function proxyStatus(hasBubblewrap: boolean, forwarder: string): LayerStatus {
  return {
    name: 'egress-proxy',
    available: true,
    detail: hasBubblewrap
      ? `the only way out of the network namespace (forwarder: ${forwarder})`
      : 'followed only by programs that respect HTTP_PROXY',
  }
}
