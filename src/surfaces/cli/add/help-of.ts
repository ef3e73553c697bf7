// Asks a program for its --help behind the fence: no network, nothing writable, a few seconds, little output.
import { realProgram } from '../../../config/find-on-path.ts'
import type { Crib } from '../../../crib/crib.ts'
import { baseEnvironment } from '../../../runtimes/base-environment.ts'
import { hiddenPlaces } from '../../../sandbox/make-profile.ts'
import { closedProfile } from '../../../sandbox/profile.ts'
import { isToolError } from '../../../tool/tool-error.ts'
import { runToEnd } from '../../../workers/run-to-end.ts'

const helpMs = 5_000
const maxBytes = 262_144

export interface HelpAnswer {
  readonly text?: string
  /** Why there is none, as the end of a sentence. */
  readonly failure?: string
}

/** `argv`: the program and what stands before `--help`. */
export function helpOf(crib: Crib, argv: readonly string[], signal: AbortSignal): Promise<HelpAnswer> {
  return outputOf(crib, [...argv, '--help'], signal)
}

/** What a command prints, on both its streams. */
export async function outputOf(
  crib: Crib,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<HelpAnswer> {
  const [program, ...args] = argv
  const file = realProgram(program!)
  if (file === undefined) return { failure: `${program} is not on this machine` }
  const { spaces } = crib
  const fenced = crib.fence.wrap(
    { file, argv0: program!, args, cwd: spaces.project, env: baseEnvironment() },
    {
      ...closedProfile,
      read: [spaces.project],
      hidden: hiddenPlaces(spaces),
      subprocess: true,
      processes: 64,
      memoryMb: 1_024,
    },
    { read: [file] },
  )
  try {
    const ended = await runToEnd(crib.supervisor, fenced, {
      maxBytes,
      timeoutMs: helpMs,
      signal,
      stopWhenFull: true,
    })
    if (ended.stdout.truncated) return { failure: `it printed more than ${maxBytes / 1024} KiB` }
    const text = `${ended.stdout.text}\n${ended.stderr.text}`.trim()
    return text === '' ? { failure: 'it printed nothing' } : { text }
  } catch (error) {
    if (isToolError(error) && error.code === 'TIMEOUT')
      return { failure: `it did not end within ${helpMs / 1000} s` }
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}
