// From a declared binary to the file that will be started: allowlisted, found, and the one the lock file pins.
import { readFileSync, statSync } from 'node:fs'
import { realProgram } from '../../config/find-on-path.ts'
import type { CommandPlan } from '../../formats/tools-json/plan.ts'
import { isAllowed } from '../../formats/tools-json/read-execution.ts'
import { sha256 } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { PinnedBinary, RuntimeEnv } from '../runtime.ts'

/** COMMAND_NOT_ALLOWED unless the exact pair is listed. Asked at every run, whatever loading found. */
export function refuseUnlisted(plan: CommandPlan, binary: string, subcommand: string, toolId: string): void {
  if (isAllowed(plan.allowlist, binary, subcommand)) return
  throw new ToolError(
    'COMMAND_NOT_ALLOWED',
    `${toolId}: ${JSON.stringify(binary)} with the subcommand ${JSON.stringify(subcommand)} is not in the allowlist of the skill ${plan.skill}.`,
    {
      hint: 'Add the exact pair to the allowlist of its tools.json.',
    },
  )
}

/** The absolute real path of a binary; undefined when it is not on this machine. */
export function locateBinary(binary: string, tool: Tool, env: RuntimeEnv): string | undefined {
  const found = realProgram(binary)
  if (found === undefined) return undefined
  const pin = env.pinnedBinary?.(tool, binary)
  if (pin && !matchesPin(found, pin))
    throw new ToolError(
      'COMMAND_NOT_ALLOWED',
      `${tool.id}: ${binary} is ${found}, which is not the program the lock file pins (${pin.path}).`,
      {
        hint: 'If the change is wanted, run `toolcrib lock` again.',
      },
    )
  return found
}

export function binaryMissing(binary: string, toolId: string): ToolError {
  return new ToolError(
    'COMMAND_NOT_FOUND',
    `${toolId}: the program ${JSON.stringify(binary)} was not found.`,
    {
      hint: binary.startsWith('/')
        ? 'Check that the file exists and is executable.'
        : `Install ${binary}, or add its folder to PATH.`,
    },
  )
}

// Programs are large and rarely change: hashed again only when size, time or inode differ.
const digests = new Map<string, { stamp: string; digest: string }>()

/** SHA-256 of a program file. */
export function programDigest(file: string): string {
  const stat = statSync(file)
  const stamp = `${stat.size}:${stat.mtimeMs}:${stat.ino}`
  const known = digests.get(file)
  if (known?.stamp === stamp) return known.digest
  const digest = sha256(readFileSync(file))
  digests.set(file, { stamp, digest })
  return digest
}

function matchesPin(file: string, pin: PinnedBinary): boolean {
  return file === pin.path && programDigest(file) === pin.digest
}
