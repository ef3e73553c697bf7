// Holds bubblewrap back once its mounts stand, compares them from outside, and only then lets the program start.
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { ToolError } from '../../tool/tool-error.ts'
import { type MountEntry, mountsOf } from '../mount-table.ts'
import { type ExpectedMounts, mountDifference } from '../verify-mounts.ts'

/** Descriptors on which bubblewrap says who its child is, and waits for leave. */
export const infoFd = 7
export const leaveFd = 8

export const gateArguments = ['--info-fd', String(infoFd), '--block-fd', String(leaveFd)]

const settleMs = 10_000

/** Why the program must not start; undefined: it was let go, or bubblewrap ended by itself and says why. */
export async function admit(
  pipeAt: (fd: number) => Duplex,
  expected: ExpectedMounts,
): Promise<ToolError | undefined> {
  const leave = pipeAt(leaveFd)
  const info = pipeAt(infoFd)
  try {
    const child = await childOf(info)
    const mounts = child === undefined ? undefined : await settledMounts(child, expected.hostRoot)
    const what = mounts ? expected.difference(mounts) : expected.moved()
    if (what !== undefined) return mountDifference(what)
    // Leave comes only after a look. Bubblewrap takes the end of the pipe for leave too, so it stays open otherwise.
    if (mounts) leave.end('.')
    return undefined
  } catch (error) {
    return new ToolError(
      'SANDBOX_UNAVAILABLE',
      `What bubblewrap mounted cannot be looked at: ${(error as Error).message}.`,
      { hint: 'Set `sandbox.engine: launcher`, or use a bubblewrap that is not setuid.' },
    )
  } finally {
    info.destroy()
  }
}

async function childOf(info: Duplex): Promise<number | undefined> {
  let text = ''
  for await (const chunk of info) {
    text += String(chunk)
    // It writes in pieces, and a pipe that closes in between would end it.
    if (!text.includes('}')) continue
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
    return pid === undefined ? undefined : Number(pid)
  }
  return undefined
}

/**
 * The mounts once bubblewrap has put its new root in place, which is the last it does before it waits; undefined when it
 * has ended. While it changes its root it has none at all for a moment.
 */
async function settledMounts(pid: number, hostRoot: string | undefined): Promise<MountEntry[] | undefined> {
  for (const until = Date.now() + settleMs; Date.now() < until; await wait(1)) {
    let mounts: MountEntry[]
    try {
      mounts = mountsOf(pid)
    } catch (error) {
      if (isGone(error)) return undefined
      throw error
    }
    const roots = mounts.filter(({ target }) => target === '/')
    const [root] = roots
    if (roots.length === 1 && root!.root === '/newroot' && root!.device !== hostRoot) return mounts
  }
  throw new Error('it did not come to an end')
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')
}
