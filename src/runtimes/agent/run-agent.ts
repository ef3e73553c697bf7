// The loop of an agent: ask the model, run the calls it makes one after the other, until it is done or has spent
// what it may.
import type { ModelMessage } from 'ai'
import { isPlainObject } from '../../tool/json.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { describeViolations } from '../../tool/schema/validate.ts'
import type { JsonSchema } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { type AgentTools, isWrapped, returnResult } from './agent-tools.ts'
import { type Answer, askModel, type ModelCall, type ModelLink } from './ask-model.ts'
import type { Budget } from './budget.ts'

export interface AgentRun {
  readonly skill: string
  readonly link: ModelLink
  readonly system: string
  /** The first message of the conversation. */
  readonly task: string
  readonly tools: AgentTools
  readonly returns: JsonSchema | null
  readonly budget: Budget
  readonly signal: AbortSignal
  onText(text: string): void
  onTurn(turn: number): void
  onCall(tool: string): void
  warn(message: string): void
}

const maxRepairs = 2

/** Runs to the result; throws TURNS_EXCEEDED, BUDGET_EXCEEDED, RESULT_INVALID, UPSTREAM_FAILED or why it was stopped. */
export async function runAgent(run: AgentRun): Promise<unknown> {
  const check = run.returns ? resultCheck(run.returns) : undefined
  const messages: ModelMessage[] = [{ role: 'user', content: run.task }]
  let repairs = 0
  for (;;) {
    run.signal.throwIfAborted()
    run.budget.check()
    run.onTurn(run.budget.turns + 1)
    const answer = await askModel(run.link, {
      system: run.system,
      messages,
      tools: run.tools.definitions,
      signal: run.signal,
      onText: run.onText,
    })
    run.budget.add(answer)
    messages.push(...answer.messages)
    if (answer.calls.length === 0 && !check) return finalText(run, answer)
    const step = await takeStep(run, answer, check)
    if (step.isDone) return step.value
    messages.push(step.reply)
    if (step.fault === undefined) continue
    repairs++
    if (repairs > maxRepairs)
      throw new ToolError(
        'RESULT_INVALID',
        `${run.skill}: the model gave no valid result in ${repairs} tries: ${step.fault}`,
        { hint: 'A larger model may do, or simpler `returns`.' },
      )
    run.warn(`The model's result is not valid, it is asked again: ${step.fault}`)
  }
}

type Step =
  | { readonly isDone: true; readonly value: unknown }
  | { readonly isDone: false; readonly reply: ModelMessage; readonly fault?: string }

/** Runs the calls of one answer, in their order; a valid result ends the run. */
async function takeStep(run: AgentRun, answer: Answer, check: ResultCheck | undefined): Promise<Step> {
  if (answer.calls.length === 0) {
    const fault = `it answered in prose and did not call ${returnResult}.`
    const content = `Your answer was not taken: ${fault} Call ${returnResult} with the result.`
    return { isDone: false, reply: { role: 'user', content }, fault }
  }
  const results: { call: ModelCall; text: string }[] = []
  let fault: string | undefined
  for (const call of answer.calls) {
    run.signal.throwIfAborted()
    if (call.name === returnResult && check) {
      const checked = call.fault === undefined ? check(call.input) : { fault: call.fault }
      if (checked.fault === undefined) return { isDone: true, value: checked.value }
      fault = checked.fault
      results.push({ call, text: `error: RESULT_INVALID: ${fault} Call ${returnResult} again.` })
    } else if (call.fault !== undefined && isKnown(run, call.name)) {
      results.push({ call, text: `error: PARAMS_INVALID: ${call.fault}` })
    } else {
      run.onCall(call.name)
      results.push({ call, text: await run.tools.call(call.name, call.input) })
    }
  }
  return { isDone: false, reply: toolMessage(results), fault }
}

function isKnown(run: AgentRun, name: string): boolean {
  return run.tools.definitions.some((tool) => tool.name === name)
}

function toolMessage(results: readonly { readonly call: ModelCall; readonly text: string }[]): ModelMessage {
  return {
    role: 'tool',
    content: results.map(({ call, text }) => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.name,
      output: { type: 'text', value: text },
    })),
  }
}

function finalText(run: AgentRun, answer: Answer): string {
  if (answer.finishReason === 'content-filter')
    throw new ToolError('UPSTREAM_FAILED', `${run.skill}: the model's service withheld the answer.`)
  if (answer.finishReason === 'length')
    run.warn('The answer reached the length limit of the model and is cut.')
  return answer.text
}

type ResultCheck = (
  input: unknown,
) => { readonly value: unknown; readonly fault?: undefined } | { readonly fault: string }

/** Throws SCHEMA_INVALID before the model is asked when the schema does not compile. */
function resultCheck(returns: JsonSchema): ResultCheck {
  const validator = compileSchema(returns, { fillDefaults: false })
  const mustUnwrap = isWrapped(returns)
  return (input) => {
    if (mustUnwrap && !(isPlainObject(input) && 'value' in input)) return { fault: '/value is required.' }
    const value = mustUnwrap ? (input as { value: unknown }).value : input
    const violations = validator.violations(value)
    return violations.length === 0 ? { value } : { fault: `${describeViolations(violations, 'the result')}.` }
  }
}
