// From a declared binary to the file that will be started: allowlisted, found, and the one the lock file pins.
import { realProgram } from '../../config/find-on-path.ts'
import { programDigest } from '../../files/file-digests.ts'
import { isAllowed } from '../../formats/tools-json/read-execution.ts'
import type { CommandPlan } from '../../tool/plans/command-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { PinnedBinary, RuntimeEnv } from '../runtime.ts'
import { refuseUnstartable } from './refuse-unstartable.ts'

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
  refuseUnpinned(binary, found, tool, env)
  refuseUnstartable(binary, found, tool.id)
  return found
}

/** COMMAND_NOT_ALLOWED when the lock file pins another program under this name. */
export function refuseUnpinned(binary: string, found: string, tool: Tool, env: RuntimeEnv): void {
  const pin = env.pinnedBinary?.(tool, binary)
  if (!pin || matchesPin(found, pin)) return
  throw new ToolError(
    'COMMAND_NOT_ALLOWED',
    `${tool.id}: ${binary} is ${found}, which is not the program the lock file pins (${pin.path}).`,
    { hint: `If the change is wanted: \`toolcrib approve ${tool.id}\`.` },
  )
}

/** What a call of the tool would end with on this machine: one error per program that is not here. */
export function missingBinaries(tool: Tool): ToolError[] {
  const plan = planOf(tool, 'command')
  if (!plan || tool.state !== 'available') return []
  return [...new Set(plan.entries.map((entry) => entry.binary))]
    .filter((binary) => realProgram(binary) === undefined)
    .map((binary) => binaryMissing(binary, tool.id))
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

function matchesPin(file: string, pin: PinnedBinary): boolean {
  return file === pin.path && programDigest(file) === pin.digest
}
