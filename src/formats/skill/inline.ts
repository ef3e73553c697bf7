// `inline://tag,payload`: code, markdown or base64 of another inline ref, written into a skill's metadata.

import { sha256 } from '../../tool/json.ts'
import { type Problem, placeOf } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { makeTool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { readSkill } from './read-skill.ts'
import { skillOf } from './settings.ts'

const maxLevels = 16

/** The tool an inline ref stands for. It belongs to the file of the skill that declares it, for trust and refs. */
export function readInline(ref: string, declaredBy: Tool): Tool {
  const { tag, payload } = unwrap(ref, declaredBy)
  const { file } = declaredBy.source
  const digest = sha256(ref)
  const facts = skillOf(declaredBy)?.skill
  const common = {
    tier: declaredBy.tier,
    digest: declaredBy.source.digest,
    facts: {
      form: tag === 'code' ? ('code' as const) : ('markdown' as const),
      entry: facts?.entry ?? 0,
      entryDir: facts?.entryDir ?? '',
      isExternal: facts?.isExternal ?? false,
    },
  }
  const owned = { ownCodeOf: declaredBy.id }
  const line = lineOfRef(ref, declaredBy)
  const source = { file, digest: declaredBy.source.digest, line }
  if (tag === 'code')
    return makeTool({
      id: `${declaredBy.id}:inline-${digest.slice(0, 8)}`,
      description: `Inline code of ${declaredBy.id}`,
      format: 'skill',
      tier: declaredBy.tier,
      source,
      hidden: true,
      trust: declaredBy.trust,
      runtime: { name: 'skill', plan: { code: payload } },
      details: { skill: common.facts, metadata: { $inherit: false }, inProcess: true, ...owned },
    })
  const fallbackName = `${declaredBy.id}-inline-${digest.slice(0, 8)}`
  const { tool, problems } = readSkill({ ...common, file: null, text: payload, fallbackName })
  const fault = [...problems, ...(tool?.problems ?? [])].find((problem) => problem.severity === 'error')
  if (!tool || fault)
    throw invalid(declaredBy, {
      tag,
      payload,
      why: fault?.message.replace(/\.$/, '') ?? 'it cannot be read',
      ref,
    })
  return { ...tool, hidden: true, source, trust: declaredBy.trust, details: { ...tool.details, ...owned } }
}

interface Inline {
  readonly tag: 'code' | 'markdown'
  readonly payload: string
}

function unwrap(ref: string, declaredBy: Tool): Inline {
  let text = ref
  for (let level = 0; ; level++) {
    const comma = text.indexOf(',')
    const tag = comma === -1 ? text.slice('inline://'.length) : text.slice('inline://'.length, comma)
    const payload = comma === -1 ? '' : text.slice(comma + 1)
    if (comma === -1) throw invalid(declaredBy, { tag, payload, why: 'there is no comma after the tag', ref })
    if (tag === 'code' || tag === 'markdown') return { tag, payload }
    if (tag !== 'base64')
      throw invalid(declaredBy, { tag, payload, why: 'the tag must be code, markdown or base64', ref })
    if (level >= maxLevels)
      throw invalid(declaredBy, { tag, payload, why: `it is wrapped more than ${maxLevels} times`, ref })
    text = decode(payload, (why) => invalid(declaredBy, { tag: 'base64', payload, why, ref }))
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(payload: string, fault: (why: string) => ToolError): string {
  const packed = payload.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed) || packed.replace(/=+$/, '').length % 4 === 1)
    throw fault('it is not base64')
  let text: string
  try {
    text = decoder.decode(Buffer.from(packed, 'base64'))
  } catch {
    throw fault('it does not decode to UTF-8 text')
  }
  if (!text.startsWith('inline://')) throw fault('it does not decode to an inline:// ref')
  return text
}

function invalid(
  skill: Tool,
  {
    tag,
    payload,
    why,
    ref,
  }: { readonly tag: string; readonly payload: string; readonly why: string; readonly ref?: string },
): ToolError {
  const { file } = skill.source
  const line = lineOfRef(ref, skill)
  return inlineError(skill.id, { tag, payload, why, place: file === null ? {} : { file, line } })
}

/** INLINE_INVALID in the words that hold for every fault: whose ref, which tag, how it begins, why not, where. */
export function inlineError(
  skill: string,
  {
    tag,
    payload,
    why,
    place,
  }: {
    readonly tag: string
    readonly payload: string
    readonly why: string
    readonly place: Pick<Problem, 'file' | 'line'>
  },
): ToolError {
  const where = place.file === undefined ? '' : ` (${placeOf(place)})`
  return new ToolError(
    'INLINE_INVALID',
    `${skill}: the inline ${tag} ref "${payload.slice(0, 40)}" cannot be used: ${why}${where}.`,
    { hint: 'Write inline://code,… inline://markdown,… or inline://base64,… (of another inline ref).' },
  )
}

/** The line of the metadata key the ref stands in; of a ref made by code, of interpolation, that of the delegate. */
export function lineOfRef(ref: string | undefined, skill: Tool): number | undefined {
  const own = skillOf(skill)
  const keys = Object.entries(own?.metadata ?? {}).flatMap(([key, value]) =>
    ref !== undefined && JSON.stringify(value)?.includes(JSON.stringify(ref).slice(1, -1)) ? [key] : [],
  )
  return own?.lines?.[keys[0] ?? 'delegate']
}
