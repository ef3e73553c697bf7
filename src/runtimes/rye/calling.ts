// The output and the end of one call in a warm worker: what it printed, what it asked of other tools, and what its
// reply comes to.
import { coversCapability } from '../../tool/capability.ts'
import type { JsonObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import { describeExit, type Exit } from '../../workers/exit.ts'
import { LogLines } from '../../workers/log-lines.ts'
import type { Attempt } from '../runtime.ts'
import { tooLarge } from './run-process.ts'
import { judgeResult, readPrinted, wrapReturned } from './rye-result.ts'
import { planOf } from './setting.ts'
import type { CallEnd, CallHandlers } from './worker.ts'

export class Calling implements CallHandlers {
  readonly #attempt: Attempt
  readonly #printed: Buffer[] = []
  #printedBytes = 0
  #out: LogLines | undefined
  #err: LogLines | undefined

  constructor(attempt: Attempt) {
    this.#attempt = attempt
  }

  onStdout = (chunk: Buffer): void => {
    if (this.#printedBytes <= this.#attempt.profile.outputBytes) this.#printed.push(chunk)
    this.#printedBytes += chunk.length
    this.#out ??= new LogLines(this.#attempt, 'info')
    this.#out.take(chunk)
  }

  onStderr = (chunk: Buffer): void => {
    this.#err ??= new LogLines(this.#attempt, 'info')
    this.#err.take(chunk)
  }

  onCall = async (ref: string, params: unknown, isDetached: boolean): Promise<unknown> => {
    const { profile, tool } = this.#attempt
    const id = ref.replace(/^tool:/, '')
    const needed = [
      `rye.execute.tool.${id.replaceAll('/', '.')}`,
      ...(isDetached ? ['rye.execute.spawn.thread'] : []),
    ]
    const missing = needed.find((need) => !profile.calls.some((granted) => coversCapability(granted, need)))
    if (missing !== undefined) {
      const error = new ToolError(
        'CAPABILITY_DENIED',
        `${tool.id} may not call ${id}: it has no ${missing}.`,
        {
          hint: `Add ${missing} (or rye.execute) to requires of ${tool.id} and to its grants in toolcrib.yaml.`,
        },
      )
      return { ok: false, error: errorData(error) }
    }
    const outcome = this.#attempt.invoke(ref, params)
    if (!isDetached) return outcome.catch((error: unknown) => ({ ok: false, error: errorData(error) }))
    // Its outcome is in the run record; nobody waits for it here.
    outcome.catch(() => {})
    return { ok: true, value: null }
  }

  judge(end: CallEnd): unknown {
    this.#out?.end()
    this.#err?.end()
    const attempt = this.#attempt
    const entry = planOf(attempt).entryName ?? 'execute'
    if (end.kind === 'flood') throw tooLarge(attempt)
    if (end.kind === 'garbage') {
      throw new ToolError(
        'TOOL_FAILED',
        `${attempt.tool.id} wrote to the channel its worker uses to answer.`,
        {
          hint: 'Print to standard output, and leave file descriptors alone that the tool did not open.',
        },
      )
    }
    if (end.kind === 'exit') return this.#judgeExit(end.exit)
    const { reply } = end
    if (reply.size !== undefined) throw tooLarge(attempt)
    if (reply.sealed !== undefined) throw changedMeanwhile(attempt.tool, reply.sealed)
    if (reply.error) throw this.#failure(reply.error)
    if (reply.exit !== undefined)
      return this.#judgeExit({ code: reply.exit, signal: null, diedOf: null }, reply.message)
    if (reply.none) return this.#judgePrinted()
    return judgeResult(wrapReturned(reply.value, entry, attempt), attempt)
  }

  #judgePrinted(): unknown {
    if (this.#printedBytes > this.#attempt.profile.outputBytes) throw tooLarge(this.#attempt)
    return judgeResult(readPrinted(Buffer.concat(this.#printed).toString('utf8')).result, this.#attempt)
  }

  #judgeExit(exit: Exit, message = ''): unknown {
    const attempt = this.#attempt
    const facts: JsonObject = exit.signal ? { signal: exit.signal } : { exit_code: exit.code }
    attempt.meta(facts)
    if (exit.code === 0 && this.#printedBytes > 0) return this.#judgePrinted()
    const how = describeExit(exit)
    const said = message || this.#err?.tail.trim().slice(-2_000)
    throw new ToolError('TOOL_FAILED', said || `${attempt.tool.id}: its process ${how} during the call.`, {
      hint: `The process ${how} before the function returned.`,
      details: facts,
      retryable: exit.diedOf !== null,
    })
  }

  #failure(error: { readonly type: string; readonly message: string; readonly trace: string }): ToolError {
    const attempt = this.#attempt
    if (error.trace) attempt.log('error', error.trace.trimEnd())
    if (error.type === 'MemoryError') {
      return new ToolError(
        'MEMORY_LIMIT',
        `${attempt.tool.id} ran out of memory (${attempt.profile.memoryMb} MB).`,
        {
          hint: 'Give it more with limits.memoryMb, or let it work on less at once.',
        },
      )
    }
    return new ToolError('TOOL_FAILED', error.message ? `${error.type}: ${error.message}` : error.type, {
      details: { type: error.type, message: error.message },
    })
  }
}

function changedMeanwhile(tool: Tool, file: string): ToolError {
  return new ToolError(
    'TRUST_TAMPERED',
    `${tool.id} did not run: ${file} is not what was checked before the call.`,
    { hint: `See \`toolcrib diff ${tool.id}\` and \`toolcrib verify ${tool.id}\`.`, details: { file } },
  )
}
