// The output and the end of one call in a warm worker: what it printed, what it asked of other tools, and what its
// reply comes to.
import { coversCapability } from '../../tool/capability.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import type { LogLevel, Progress } from '../../tool/outcome.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import type { CallListener } from '../../workers/call-listener.ts'
import { describeExit, type Exit } from '../../workers/exit.ts'
import { LogLines } from '../../workers/log-lines.ts'
import type { Answer, CallEnd } from '../../workers/protocol.ts'
import type { WorkerEnd } from '../../workers/worker-end.ts'
import type { Attempt } from '../runtime.ts'
import { tooLarge } from './run-process.ts'
import { judgeResult, readPrinted, wrapReturned } from './rye-result.ts'

type CallOutput = Omit<CallListener, 'done' | 'stray' | 'lost'>

export class Calling implements CallOutput {
  readonly #attempt: Attempt
  /** The name of its function. */
  readonly #entry: string
  readonly #printed: Buffer[] = []
  #printedBytes = 0
  #out: LogLines | undefined
  #err: LogLines | undefined

  constructor(attempt: Attempt, entry: string) {
    this.#attempt = attempt
    this.#entry = entry
  }

  line(level: LogLevel, message: string): void {
    this.#attempt.log(level, message)
  }

  print(fd: 1 | 2, chunk: Buffer): void {
    if (fd === 2) {
      this.#err ??= new LogLines(this.#attempt, 'info')
      return this.#err.take(chunk)
    }
    if (this.#printedBytes <= this.#attempt.profile.outputBytes) this.#printed.push(chunk)
    this.#printedBytes += chunk.length
    this.#out ??= new LogLines(this.#attempt, 'info')
    this.#out.take(chunk)
  }

  progress(progress: Progress): void {
    this.#attempt.progress(progress)
  }

  /** Every question is a call of another tool, which takes its time. */
  waits(): boolean {
    return true
  }

  /** The outcome of another tool's call, whole, as the tool that asked sees it. */
  async ask(op: string, [ref, params]: readonly Json[]): Promise<Answer> {
    const outcome = await this.#call(String(ref), params, op === 'spawn').catch(failedCall)
    try {
      return { ok: true, json: JSON.stringify(outcome) }
    } catch (error) {
      // What JSON cannot hold stays here; the tool hears of it, the host does not fall over it.
      return { ok: true, json: JSON.stringify(failedCall(error)) }
    }
  }

  async #call(ref: string, params: unknown, isDetached: boolean): Promise<unknown> {
    const { profile, tool } = this.#attempt
    const id = ref.replace(/^tool:/, '')
    const needed = [
      `rye.execute.tool.${id.replaceAll('/', '.')}`,
      ...(isDetached ? ['rye.execute.spawn.thread'] : []),
    ]
    const missing = needed.find((need) => !profile.calls.some((granted) => coversCapability(granted, need)))
    if (missing !== undefined) {
      throw new ToolError('CAPABILITY_DENIED', `${tool.id} may not call ${id}: it has no ${missing}.`, {
        hint: `Add ${missing} (or rye.execute) to requires of ${tool.id} and to its grants in toolcrib.yaml.`,
        details: { calls: id, grants: needed },
      })
    }
    const outcome = this.#attempt.invoke(ref, params)
    if (!isDetached) return outcome
    // Its outcome is in the run record; nobody waits for it here.
    outcome.catch(() => {})
    return { ok: true, value: null }
  }

  /** The value of a call that its worker ended. */
  judge(end: CallEnd): unknown {
    this.#endOutput()
    const attempt = this.#attempt
    switch (end.t) {
      case 'result':
        if (end.isUndefined) return this.#judgePrinted()
        return judgeResult(wrapReturned(end.value, this.#entry, attempt), attempt)
      case 'too-large':
        throw tooLarge(attempt)
      case 'sealed':
        throw changedMeanwhile(attempt.tool, end.file)
      case 'exit':
        return this.#judgeExit({ code: end.code, signal: null, diedOf: null }, end.message)
      case 'error':
        throw this.#failure(end)
      default:
        throw new ToolError('TOOL_FAILED', `${attempt.tool.id} changes while it is called.`)
    }
  }

  /** What it comes to that its process ended under it. */
  judgeLost(end: WorkerEnd, running: number): unknown {
    this.#endOutput()
    const { tool, profile } = this.#attempt
    if (end.kind === 'memory') throw memoryLimit(tool.id, profile.memoryMb)
    if (end.kind === 'broken') {
      if (end.isFlood) throw tooLarge(this.#attempt)
      throw new ToolError('TOOL_FAILED', `${tool.id} misused the channel to its host (it ${end.detail}).`, {
        hint: 'Print to standard output, and leave file descriptors alone that the tool did not open.',
      })
    }
    if (running > 1)
      throw new ToolError('TOOL_FAILED', `The process of ${tool.id} ended under this call.`, {
        hint: 'Another call in the same process ended it; call again.',
        retryable: true,
      })
    return end.kind === 'disk' ? undefined : this.#judgeExit(end.exit)
  }

  strayError(message: string, stack: string): ToolError {
    this.#endOutput()
    if (stack) this.#attempt.log('error', stack.trimEnd())
    return new ToolError('TOOL_FAILED', message, {
      hint: 'An error was thrown outside of the function, or a promise was rejected and nobody waited for it.',
    })
  }

  #endOutput(): void {
    this.#out?.end()
    this.#err?.end()
  }

  #judgePrinted(): unknown {
    if (this.#printedBytes > this.#attempt.profile.outputBytes) throw tooLarge(this.#attempt)
    return judgeResult(readPrinted(Buffer.concat(this.#printed).toString('utf8')).result, this.#attempt)
  }

  #judgeExit(exit: Exit, message = ''): unknown {
    const attempt = this.#attempt
    const facts: JsonObject = exit.diedOf ? { signal: exit.diedOf } : { exit_code: exit.code }
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

  #failure({ type = 'Error', message, stack }: Extract<CallEnd, { t: 'error' }>): ToolError {
    const attempt = this.#attempt
    if (stack) attempt.log('error', stack.trimEnd())
    if (type === 'MemoryError') return memoryLimit(attempt.tool.id, attempt.profile.memoryMb)
    return new ToolError('TOOL_FAILED', message ? `${type}: ${message}` : type, {
      details: { type, message },
    })
  }
}

function failedCall(error: unknown): object {
  return { ok: false, error: errorData(error) }
}

function memoryLimit(toolId: string, memoryMb: number): ToolError {
  return new ToolError('MEMORY_LIMIT', `${toolId} ran out of memory (${memoryMb} MB).`, {
    hint: 'Give it less to do at once, or raise memoryMb in its limits or in toolcrib.yaml.',
  })
}

function changedMeanwhile(tool: Tool, file: string): ToolError {
  return new ToolError(
    'TRUST_TAMPERED',
    `${tool.id} did not run: ${file} is not what was checked before the call.`,
    { hint: `See \`toolcrib diff ${tool.id}\` and \`toolcrib verify ${tool.id}\`.`, details: { file } },
  )
}
