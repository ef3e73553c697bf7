// Compares what was mounted around a process with what was judged, before its program starts (G10). A link that took
// the place of a folder meanwhile, or a mount that appeared, is a difference.
import { isInside, pathWithin } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { ToolError } from '../tool/tool-error.ts'
import { identityOf, type MountEntry } from './mount-table.ts'
import type { ViewStep } from './view/view-step.ts'

/** What must be at one place of the view. */
interface Expected {
  readonly target: string
  /** Empty for what is made for the view and shows nothing of the host. */
  readonly identity: string
  readonly source: string
  isReadOnly: boolean
}

export class ExpectedMounts {
  /** By target; of several at one place the last is seen. */
  readonly #places = new Map<string, Expected[]>()
  readonly #host: readonly MountEntry[]

  /** `host`: the mounts of this machine when the steps were judged. */
  constructor(steps: readonly ViewStep[], host: readonly MountEntry[]) {
    this.#host = host
    for (const step of steps) this.#add(step)
  }

  /** The device of the host's own root. */
  get hostRoot(): string | undefined {
    return this.#host.find(({ target }) => target === '/')?.device
  }

  /** The first difference, in words; undefined when all is as judged. */
  difference(found: readonly MountEntry[]): string | undefined {
    const seen = new Map<string, MountEntry>()
    for (const mount of found) {
      seen.set(mount.target, mount)
      if (!this.#explains(mount)) return `${mount.target} shows ${mount.root}, which nobody asked for`
    }
    for (const [target, list] of this.#places) {
      const wanted = list.at(-1)!
      const mount = seen.get(target)
      if (!mount) return `${wanted.source || target} is not at ${target}`
      if (!isSame(wanted, mount)) return `${target} shows ${mount.root} in place of ${wanted.source}`
      if (wanted.isReadOnly && !mount.isReadOnly) return `${target} can be written to`
    }
    return undefined
  }

  /** What no longer is where it was judged, in words, for an engine that could not mount it. */
  moved(): string | undefined {
    for (const list of this.#places.values())
      for (const { source } of list) {
        const real = nearestRealPath(source)
        if (source !== '' && real !== source) return `${source} leads to ${real} now`
      }
    return undefined
  }

  #add(step: ViewStep): void {
    if (step.kind === 'bind') {
      const { source, target } = step
      this.#put({ target, source, identity: identityOf(source, this.#host), isReadOnly: !step.isWritable })
    } else if (step.kind === 'blank' || step.kind === 'memory') {
      this.#put({ target: step.target, source: '', identity: '', isReadOnly: false })
    } else if (step.kind === 'seal') {
      const last = this.#places.get(step.target)?.at(-1)
      if (last) last.isReadOnly = true
    }
  }

  #put(expected: Expected): void {
    const list = this.#places.get(expected.target)
    if (list) list.push(expected)
    else this.#places.set(expected.target, [expected])
  }

  #explains(mount: MountEntry): boolean {
    const own = this.#places.get(mount.target)
    if (own?.some((wanted) => isSame(wanted, mount))) return true
    return isMadeForView(mount) || this.#isBelowBind(mount)
  }

  /** What is mounted on the host below something that is shown comes along. */
  #isBelowBind(mount: MountEntry): boolean {
    for (const list of this.#places.values())
      for (const { target, source, identity } of list) {
        if (identity === '' || mount.target === target || !isInside(mount.target, target)) continue
        const there = `${source}/${pathWithin(mount.target, target)}`
        if (
          this.#host.some(
            (one) => one.target === there && one.device === mount.device && one.root === mount.root,
          )
        )
          return true
      }
    return false
  }
}

function isSame({ identity }: Expected, mount: MountEntry): boolean {
  return identity === '' ? mount.type === 'tmpfs' : identity === `${mount.device} ${mount.root}`
}

const devices = /^\/dev(?:\/(?:null|zero|full|random|urandom|tty|pts|shm|console))?$/

/** The root itself, /proc and /dev, as every engine makes them. */
function isMadeForView({ target, type }: MountEntry): boolean {
  if (target === '/') return type === 'tmpfs'
  if (isInside(target, '/proc')) return type === 'proc' || type === 'tmpfs'
  return devices.test(target)
}

export function mountDifference(what: string): ToolError {
  return new ToolError('PATH_OUTSIDE', `The sandbox is not what was judged: ${what}. Nothing was run.`, {
    hint: 'Something replaced a folder while the call began; look who writes there, then call again.',
  })
}
