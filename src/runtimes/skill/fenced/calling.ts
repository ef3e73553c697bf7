// What does a skill's call behind the fence come to? Reads how it ended, and keeps what it printed.

import { notJson } from '../../../tool/not-json.ts'
import type { Principal } from '../../../tool/principal.ts'
import type { Tool } from '../../../tool/tool.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { describeExit } from '../../../workers/exit.ts'
import { LogLines } from '../../../workers/log-lines.ts'
import type { CallEnd } from '../../../workers/protocol.ts'
import type { WorkerEnd } from '../../../workers/worker-end.ts'
import type { Attempt } from '../../runtime.ts'
import type { SkillWorker } from './skill-worker.ts'

/** The frontmatter that a module computes cannot be used. */
export class FrontmatterFault extends Error {}

/** What a skill that cannot be loaded is told as, in the words of the skill runtime. */
export interface LoadFaults {
  runsInHost(tool: Tool, principal: Principal | undefined): boolean
  exportError(tool: Tool): ToolError
  loadError(tool: Tool, error: unknown): unknown
}

/** What one call prints, and what its end comes to. */
export class Calling {
  readonly #attempt: Pick<Attempt, 'tool' | 'profile' | 'log' | 'progress'>
  readonly #faults: LoadFaults
  readonly #outputs: readonly LogLines[]

  constructor(attempt: Pick<Attempt, 'tool' | 'profile' | 'log' | 'progress'>, faults: LoadFaults) {
    this.#attempt = attempt
    this.#faults = faults
    this.#outputs = [new LogLines(attempt, 'info'), new LogLines(attempt, 'info')]
  }

  print(fd: 1 | 2, chunk: Buffer): void {
    this.#outputs[fd - 1]!.take(chunk)
  }

  read(end: CallEnd, worker: SkillWorker): unknown {
    for (const output of this.#outputs) output.end()
    const { tool, profile } = this.#attempt
    switch (end.t) {
      case 'result':
        if (end.kept != null) return worker.carrier.unpack(JSON.parse(end.kept))
        return end.isUndefined ? undefined : end.value
      case 'too-large':
        throw new ToolError(
          'OUTPUT_TOO_LARGE',
          `${tool.id} gave back more than ${profile.outputBytes} bytes.`,
          { hint: 'Return less, write the data to a file, or raise limits.outputBytes.' },
        )
      case 'sealed':
        throw new ToolError(
          'TRUST_TAMPERED',
          `${tool.id} did not run: ${end.file} is not what was checked before the call.`,
          { hint: `See \`toolcrib diff ${tool.id}\` and \`toolcrib verify ${tool.id}\`.` },
        )
      case 'error':
        if (end.type === 'EXPORT_INVALID') throw this.#faults.exportError(tool)
        if (end.type === 'FRONTMATTER_INVALID') throw new FrontmatterFault(end.message)
        if (end.type === 'RESULT_INVALID') throw notJson(end.message)
        if (end.type === 'LOAD_FAILED') throw this.#faults.loadError(tool, new Error(end.message))
        throw end.thrown == null ? new Error(end.message) : worker.carrier.unpack(JSON.parse(end.thrown))
      default:
        throw new ToolError('TOOL_FAILED', `${tool.id} ended its call in a way that skills do not have.`)
    }
  }

  /** `dropped`: why the call it waited for was ended, and its process with it. */
  lost(end: WorkerEnd, dropped: ToolError | undefined): ToolError {
    for (const output of this.#outputs) output.end()
    const { tool, profile } = this.#attempt
    if (dropped) return dropped
    if (end.kind === 'memory')
      return new ToolError('MEMORY_LIMIT', `${tool.id} ran out of memory (${profile.memoryMb} MB).`, {
        hint: 'Give it less to do at once, or raise memoryMb in its limits or in toolcrib.yaml.',
      })
    if (end.kind === 'broken')
      return new ToolError('TOOL_FAILED', `${tool.id} misused the channel to its host (it ${end.detail}).`)
    const how = end.kind === 'disk' ? 'ended' : describeExit(end.exit)
    return new ToolError('TOOL_FAILED', `${tool.id}: its process ${how} during the call.`, {
      retryable: end.kind === 'signal',
    })
  }
}
