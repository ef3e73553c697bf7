// One call's way through the guards as a strip of stops, before it is made: the kernel's own list of checks, asked with
// the arguments of the form. What a run passed is told by the run itself.
import type { Crib } from '../../crib/crib.ts'
import { isMarkdown, skillOf } from '../../formats/skill/settings.ts'
import { asksApproval } from '../../guards/checks/approve.ts'
import type { Refusal } from '../../kernel/refusals.ts'
import { chooseModel } from '../../runtimes/agent/choose-model.ts'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Static } from '../../tool/shape.ts'
import type { Tool } from '../../tool/tool.ts'
import { describeTool } from '../describe-tool.ts'
import { expectedFence } from './console-rows.ts'
import type { permitShape } from './insight-shapes.ts'

export type Permit = Static<typeof permitShape>
type Stop = Permit['stops'][number]
type Fix = NonNullable<Stop['refusals'][number]['fix']>

export async function permitOf(
  crib: Crib,
  tool: Tool,
  asked: { readonly principal: Principal; readonly params?: unknown },
): Promise<Permit> {
  const refusals = await crib.refusals(tool, asked.params, { principal: asked.principal })
  const { profile, grants } = await describeTool(crib, tool)
  const approve = asksApproval(tool, crib.config)
  const stops: Stop[] = crib.kernel
    .compose(tool)
    .chain.flatMap(({ name, kind }) =>
      kind === 'stage' ? [] : [{ name, kind, ...verdictOf(name, refusals, approve !== undefined) }],
    )
  const placed = new Set(stops.map(({ name }) => name))
  // A tool that cannot be resolved has no chain to stand in.
  const early = refusals.filter(({ check }) => !placed.has(check))
  return {
    tool: tool.id,
    runtime: tool.runtime?.name ?? 'none',
    isOpen: refusals.length === 0,
    stops: [
      ...[...new Set(early.map(({ check }) => check))].map(
        (name): Stop => ({ name, kind: 'check', ...verdictOf(name, refusals, false) }),
      ),
      ...stops,
    ],
    fence: { expected: expectedFence(crib)(tool), profile },
    grants,
    approve,
    prompt: promptOf(crib, tool, asked),
  }
}

/** What a model would read, and which. */
function promptOf(
  crib: Crib,
  tool: Tool,
  { principal, params }: { readonly principal: Principal; readonly params?: unknown },
): Permit['prompt'] {
  if (!isMarkdown(tool)) return undefined
  const { metadata, allowedTools } = skillOf(tool)!
  return {
    text: crib.expandPrompt(tool, isPlainObject(params) ? params : {}, principal),
    model: modelOf(crib, tool, metadata['model']),
    allowedTools,
  }
}

function modelOf({ config }: Crib, tool: Tool, stated: unknown): string | undefined {
  try {
    return chooseModel(tool, stated, config.models).id
  } catch {
    // A guard of the call says so, with what to do.
    return undefined
  }
}

function verdictOf(
  name: string,
  refusals: readonly Refusal[],
  isAsked: boolean,
): Pick<Stop, 'verdict' | 'refusals'> {
  const own = refusals.filter(({ check }) => check === name)
  const told = own.map(({ code, message, hint, details }) => ({
    code,
    message,
    hint,
    fix: fixOf(code, details),
  }))
  if (own.length > 0) return { verdict: 'stops', refusals: told }
  return { verdict: name === 'approve' && isAsked ? 'waits' : 'passes', refusals: [] }
}

const fixes: { readonly [code: string]: Fix['kind'] } = {
  TRUST_UNSIGNED: 'sign',
  TRUST_UNTRUSTED: 'sign',
  TRUST_TAMPERED: 'sign',
  TRUST_DRIFT: 'accept',
  CAPABILITY_DENIED: 'grant',
  SECRET_MISSING: 'secret',
  APPROVAL_DENIED: 'approve',
  AUTH_REQUIRED: 'login',
  PARAMS_INVALID: 'params',
  CONFIG_INVALID: 'settings',
}

function fixOf(code: string, details: unknown): Fix | undefined {
  const kind = fixes[code]
  if (!kind) return undefined
  const said: JsonObject = isPlainObject(details) ? (details as JsonObject) : {}
  const names = [said['grants'] ?? said['missing'] ?? said['server'] ?? []].flat()
  return { kind, names: names.map(String) }
}
