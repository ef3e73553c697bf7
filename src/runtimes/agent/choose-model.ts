// Which model an agent runs with, and what it may spend: the skill's metadata over `models` of toolcrib.yaml.
import type { Config, ModelConfig } from '../../config/config.ts'
import { isPlainObject } from '../../tool/json.ts'
import { nearNames } from '../../tool/near-names.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'

export interface ModelChoice {
  /** Name of the entry of `models`. */
  readonly id: string
  readonly settings: ModelConfig
  readonly maxTurns: number
  readonly maxTokens?: number
  readonly maxCost?: number
}

const standardTurns = 30

/** The model of a skill; throws MODEL_MISSING when none is configured. `stated`: `metadata.model`. */
export function chooseModel(tool: Tool, stated: unknown, models: Config['models']): ModelChoice {
  const skill = tool.id
  const own = isPlainObject(stated) ? stated : {}
  const wanted = typeof stated === 'string' ? stated : own['id']
  if (wanted !== undefined && typeof wanted !== 'string')
    throw new ToolError('CONFIG_INVALID', `${skill}: metadata.model must name an entry of models.`, {
      hint: 'Write `model: <id>` or `model: { id: <id>, maxTurns: 10 }`.',
    })
  if (Object.keys(models).length === 0) throw modelMissing(tool)
  const { id, settings } = follow(skill, wanted ?? 'default', models)
  const maxTokens = tightest(settings.maxTokens, own['maxTokens'])
  const maxCost = tightest(settings.maxCost, own['maxCost'])
  if (maxCost !== undefined && !settings.price)
    throw new ToolError('CONFIG_INVALID', `${skill}: the model "${id}" has a maxCost but no price.`, {
      hint: `Add \`price: { input: …, output: … }\` (per million tokens) to models.${id} in toolcrib.yaml.`,
    })
  return {
    id,
    settings,
    maxTurns: positive(own['maxTurns']) ?? settings.maxTurns ?? standardTurns,
    maxTokens,
    maxCost,
  }
}

/** `default` and every other entry may name a further one. */
function follow(
  skill: string,
  first: string,
  models: Config['models'],
): { id: string; settings: ModelConfig } {
  const seen: string[] = []
  let id = first
  for (;;) {
    const entry = Object.hasOwn(models, id) ? models[id] : undefined
    if (entry === undefined) throw unknownModel(skill, id, models)
    if (typeof entry !== 'string') return { id, settings: entry }
    seen.push(id)
    if (seen.includes(entry))
      throw new ToolError('CONFIG_INVALID', `models: ${[...seen, entry].join(' → ')} goes in a circle.`, {
        hint: 'Let one of them be a model of its own.',
      })
    id = entry
  }
}

function unknownModel(skill: string, id: string, models: Config['models']): ToolError {
  const known = Object.keys(models)
  const near = nearNames(id, known, 1)
  return new ToolError('MODEL_MISSING', `${skill}: there is no model "${id}" in models of toolcrib.yaml.`, {
    hint: near.length > 0 ? `Did you mean "${near[0]}"?` : `There are: ${known.join(', ')}.`,
    details: { known },
  })
}

/** Says which lines to add, and how to use the skill without a model. */
function modelMissing({ id, source }: Tool): ToolError {
  const isSkill = source.file !== null
  return new ToolError(
    'MODEL_MISSING',
    `${isSkill ? `${id} is a prompt for a model` : 'A task needs a model'}, and toolcrib.yaml has no \`models\`. Add there, for example:\n  models:\n    default: local\n    local: { provider: ollama, model: llama3.2 }`,
    {
      hint: isSkill
        ? `Add the lines above to toolcrib.yaml, or use it as the MCP prompt "${id}" of a client that has a model of its own.`
        : 'Add the lines above to toolcrib.yaml.',
    },
  )
}

/** A skill can lower what the operator set, not raise it. */
function tightest(configured: number | undefined, stated: unknown): number | undefined {
  const own = positive(stated)
  if (own === undefined || configured === undefined) return own ?? configured
  return Math.min(own, configured)
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}
