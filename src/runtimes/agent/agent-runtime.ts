// Markdown skills: the body is the system prompt of an agent, the crib's tools are its hands.
import type { PromptContext } from '../../formats/skill/expand-prompt.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Cost } from '../../tool/outcome.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Principal } from '../../tool/principal.ts'
import { makeScrubber, type Scrubber } from '../../tool/scrub.ts'
import { scrubStream } from '../../tool/scrub-stream.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { type LoadingContext, noteLoaded } from '../skill/loaded-tools.ts'
import { AgentTools } from './agent-tools.ts'
import type { ModelLink } from './ask-model.ts'
import { Budget } from './budget.ts'
import { chooseModel, type ModelChoice } from './choose-model.ts'
import type { CribView } from './crib-view.ts'
import { loadAiSdk, openModel } from './open-model.ts'
import { runAgent } from './run-agent.ts'
import { bodyOfSkill, contextTexts, skillPrompt } from './skill-texts.ts'

/** The part of the kernel's call that an agent needs. */
interface AgentCall {
  readonly asPrincipal: Principal
  readonly context: PromptContext &
    LoadingContext & { readonly run: { readonly tool: { readonly returns: JsonSchema | null } } }
  readonly metadata: { readonly [key: string]: unknown }
  say(text: string): void
  readonly scrubber: Scrubber
  cost: Cost | undefined
}

export function openAgentRuntime(env: RuntimeEnv): Runtime {
  return {
    name: 'agent',
    run: (attempt) => run(attempt, env),
    ready(attempt) {
      const { metadata } = attempt.call as AgentCall
      chooseModel(attempt.tool, metadata['model'], env.config.models)
    },
    async plan(attempt) {
      const { metadata } = attempt.call as AgentCall
      const choice = chooseModel(attempt.tool, metadata['model'], env.config.models)
      const { definitions } = toolsOf(attempt, viewOf(env), new Map())
      return {
        skill: attempt.tool.id,
        model: choice.id,
        provider: choice.settings.provider,
        maxTurns: choice.maxTurns,
        tools: definitions.map((tool) => tool.name),
      }
    },
  }
}

async function run(attempt: Attempt, env: RuntimeEnv): Promise<unknown> {
  const { tool } = attempt
  const call = attempt.call as AgentCall
  noteLoaded(tool, { fn: null, content: bodyOfSkill(tool) }, call.context)
  const view = viewOf(env)
  const choice = chooseModel(tool, call.metadata['model'], env.config.models)
  const link = await linkTo(choice, tool, view)
  const { system, readable } = promptOf(attempt, call, view, env)
  const budget = new Budget(tool.id, choice)
  const said = scrubStream(call.scrubber, (text) => call.say(text))
  try {
    return await runAgent({
      skill: tool.id,
      link,
      system,
      task: taskOf(attempt),
      tools: toolsOf(attempt, view, readable),
      returns: call.context.run.tool.returns,
      budget,
      signal: attempt.signal,
      onText: said.write,
      onTurn: (turn) => {
        said.flush()
        attempt.progress({ done: turn, total: choice.maxTurns, message: `asking ${choice.id}` })
      },
      onCall: (name) => {
        said.flush()
        attempt.log('info', `${tool.id} calls ${name}`)
      },
      warn: (message) => attempt.log('warn', message),
    })
  } finally {
    said.flush()
    const { turns, inputTokens, outputTokens, cost } = budget
    attempt.meta({ model: choice.id, turns, tokens: { input: inputTokens, output: outputTokens } })
    if (cost) call.cost = cost
  }
}

function viewOf(env: RuntimeEnv): CribView {
  if (!env.view) throw new ToolError('INTERNAL', 'The agent runtime was opened without a crib.')
  return env.view
}

/** The system prompt, and the skills whose text the model may ask for. */
function promptOf(
  attempt: Attempt,
  call: AgentCall,
  view: CribView,
  env: RuntimeEnv,
): { system: string; readable: Map<string, () => string> } {
  const sources = { view, config: env.config }
  const { context } = call
  const reader = agentPrincipal(attempt)
  const warn = (message: string) => attempt.log('warn', `ENV_NOT_ALLOWED: ${message}`)
  const prompt = context.locals['prompt'] as { readonly raw: string; expanded: string | undefined }
  // A middleware may have written the prompt already.
  prompt.expanded ??= skillPrompt(attempt.tool, sources, {
    context,
    hasCall: true,
    reader,
    warn,
  })
  const more = contextTexts(attempt.tool, reader, sources)
  const readable = new Map(
    more.onDemand.map((skill) => [
      skill.id,
      () => skillPrompt(skill, sources, { context, hasCall: false, reader, warn }),
    ]),
  )
  return { system: [prompt.expanded, more.text].filter(Boolean).join('\n\n'), readable }
}

function toolsOf(attempt: Attempt, view: CribView, readable: ReadonlyMap<string, () => string>): AgentTools {
  const call = attempt.call as AgentCall
  return new AgentTools({
    view,
    asking: { principal: agentPrincipal(attempt), from: call },
    returns: call.context.run.tool.returns,
    readable,
  })
}

/** Who the agent is when it calls tools: bound by its own list. */
function agentPrincipal(attempt: Attempt): Principal {
  return { ...(attempt.call as AgentCall).asPrincipal, surface: 'agent' }
}

/** The arguments as JSON; a task in words where the principal gave one. */
function taskOf({ tool, params }: Attempt): string {
  const key = planOf(tool, 'agent')?.taskFrom
  if (key !== undefined && isPlainObject(params)) return String(params[key])
  const isEmpty =
    params === undefined || params === null || (isPlainObject(params) && Object.keys(params).length === 0)
  return isEmpty ? 'Begin.' : (JSON.stringify(params) ?? 'Begin.')
}

async function linkTo({ id, settings }: ModelChoice, tool: Tool, view: CribView): Promise<ModelLink> {
  const ai = await loadAiSdk()
  const apiKey = settings.apiKey === undefined ? undefined : await keyOf(id, settings.apiKey, tool, view)
  const scrubber = makeScrubber(apiKey === undefined ? {} : { apiKey })
  return {
    ai,
    model: await openModel(settings, apiKey),
    address: settings.baseURL ?? settings.provider,
    isStreaming: settings.stream !== false,
    scrub: (text) => scrubber.text(text),
  }
}

async function keyOf(id: string, ref: string, tool: Tool, view: CribView): Promise<string> {
  const value = await view.secret(ref, tool.id)
  if (value !== null && value !== '') return value
  const name = ref.slice(ref.indexOf('://') + 3)
  throw new ToolError(
    'SECRET_MISSING',
    `${tool.id}: the apiKey of the model "${id}", ${ref}, has no value.`,
    {
      hint: ref.startsWith('env://')
        ? `Set ${name} in the environment.`
        : `Store it with \`toolcrib secrets set ${name}\`.`,
    },
  )
}
