// From frontmatter, however it was written, to a tool: names, roles, tags, schemas, allow list. Every field
// that cannot be used becomes a problem with its line.

import { parseAllowedTools } from '../../tool/allowed-tools.ts'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { Position } from '../../tool/line-index.ts'
import type { Problem, Severity } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { type JsonSchema, makeTool, type Tier, type Tool, type ToolKind } from '../../tool/tool.ts'
import { isSkillName, nameOfFile, normaliseTags, reservedNames, suggestName } from './name.ts'
import { annotations, dataKeys, guardNames, liftedKeys } from './reserved.ts'
import type { SkillDetails, SkillFacts } from './settings.ts'

export interface SkillDraft {
  readonly fields: { readonly [key: string]: unknown }
  readonly positionOf: (path: readonly string[]) => Position
  /** Line of a metadata key, found cheaply. */
  readonly metadataLine?: (key: string) => number
  /** Absolute path; null for inline and programmatic skills. */
  readonly file: string | null
  readonly digest: string
  readonly tier: Tier
  readonly facts: SkillFacts
  readonly content?: string
  /** Variables the text asks for, with their lines. */
  readonly env?: { readonly [name: string]: number }
  /** What was noticed before the fields were read. */
  readonly problems?: readonly Problem[]
  /** Given by the caller instead of the file's name; inline skills may go unnamed. */
  readonly fallbackName?: string
}

export interface MadeSkill {
  /** null when its name cannot be used. */
  readonly tool: Tool | null
  readonly problems: readonly Problem[]
}

/** Builds the tool of a skill; problems of a tool are in the tool, those without one beside it. */
export function makeSkill(draft: SkillDraft): MadeSkill {
  return new Maker(draft).make()
}

class Maker {
  readonly #draft: SkillDraft
  readonly #problems: Problem[]
  readonly #fields: { readonly [key: string]: unknown }
  readonly #metadata: JsonObject

  constructor(draft: SkillDraft) {
    this.#draft = draft
    this.#problems = [...(draft.problems ?? [])]
    this.#fields = draft.fields
    this.#metadata = this.#readMetadata()
  }

  make(): MadeSkill {
    const name = this.#name()
    if (name === null) return { tool: null, problems: this.#problems }
    this.#checkMisplaced()
    this.#checkAnnotations()
    const { file, digest, tier, content } = this.#draft
    const isCode = this.#draft.facts.form === 'code'
    const role = this.#role()
    const tool = makeTool({
      id: name,
      name,
      description: text(this.#fields['description']) ?? '',
      version:
        text(isPlainObject(this.#fields['metadata']) ? this.#metadata['version'] : undefined) ?? '0.0.0',
      format: 'skill',
      kind: kindOf(role),
      tier,
      params: this.#schema('params'),
      returns: this.#schema('returns'),
      tags: normaliseTags(this.#metadata['tags']),
      hidden: this.#metadata['visibility'] === 'hidden',
      source: { file, digest, files: file ? [file] : undefined, line: 1 },
      runtime: { name: isCode ? 'skill' : 'agent', plan: { file, digest } },
      details: { ...this.#details(role), content },
    })
    const problems = this.#problems.map((problem) => ({ ...problem, toolId: name }))
    const hasError = problems.some((problem) => problem.severity === 'error')
    return { tool: { ...tool, problems, state: hasError ? 'invalid' : 'available' }, problems: [] }
  }

  #readMetadata(): JsonObject {
    const given = this.#fields['metadata']
    if (given === undefined || given === null) return {}
    if (isPlainObject(given)) return given as JsonObject
    this.#report('error', 'SKILL_FRONTMATTER_INVALID', 'metadata must be a map of keys to values.', {
      path: ['metadata'],
    })
    return {}
  }

  #name(): string | null {
    const given = this.#fields['name']
    const { file, facts, fallbackName } = this.#draft
    const isGiven = given !== undefined && given !== null
    const name = isGiven ? String(given) : (fallbackName ?? nameOfFile(file ?? 'inline'))
    const isNamedByPath = facts.form === 'code' || facts.layout === 'command' || file === null
    if (!isGiven && !isNamedByPath && !this.#problems.some(isMissingFrontmatter))
      this.#report(
        'warning',
        'SKILL_NAME_MISSING',
        `The skill has no name; "${name}" is taken from its path.`,
        { path: [], hint: `Add \`name: ${suggestName(name)}\` to the frontmatter.` },
      )
    if (fallbackName !== undefined && !isGiven) return name
    if (typeof given === 'object' && given !== null) return this.#badName(JSON.stringify(given))
    if (!isSkillName(name)) {
      const isForeign = facts.form === 'folder' || facts.layout !== undefined
      const ofFolder = isForeign && file !== null ? suggestName(nameOfFile(file)) : ''
      if (!isSkillName(ofFolder) || reservedNames.has(ofFolder)) return this.#badName(name)
      // Other clients take such names; the folder's own serves here (D11a).
      this.#report(
        'warning',
        'SKILL_NAME_INVALID',
        `"${name}" is not a skill name; "${ofFolder}" is taken from its path.`,
        { path: isGiven ? ['name'] : [], hint: `Write \`name: ${ofFolder}\`.` },
      )
      return ofFolder
    }
    if (!reservedNames.has(name)) return name
    this.#report('error', 'SKILL_NAME_RESERVED', `"${name}" is a name Toolcrib uses itself.`, {
      path: ['name'],
      hint: 'Choose another name.',
    })
    return null
  }

  #badName(name: string): null {
    const suggestion = suggestName(name)
    this.#report(
      'error',
      'SKILL_NAME_INVALID',
      `"${name}" is not a skill name: 1 to 64 of a-z, 0-9 and single hyphens between them.`,
      {
        path: ['name'],
        hint: suggestion ? `Use \`${suggestion}\`.` : 'Use lower-case words joined by hyphens.',
      },
    )
    return null
  }

  #role(): string | undefined {
    const given = this.#metadata['role']
    const { form, layout } = this.#draft.facts
    if (given === undefined || given === null)
      return form === 'folder' || layout === 'command' ? 'context' : undefined
    if (given === 'main' || given === 'middleware' || given === 'context') return given
    this.#report('warning', 'ROLE_UNKNOWN', `The role ${JSON.stringify(given)} has no effect.`, {
      path: ['metadata', 'role'],
      hint: 'Roles are main, middleware and context.',
    })
    return typeof given === 'string' ? given : undefined
  }

  #details(role: string | undefined): SkillDetails {
    const visibility = this.#metadata['visibility']
    if (visibility !== undefined && visibility !== null && visibility !== 'hidden')
      this.#report(
        'warning',
        'VISIBILITY_UNKNOWN',
        `The visibility ${JSON.stringify(visibility)} is not known; the skill is visible.`,
        { path: ['metadata', 'visibility'], hint: 'The only value is `hidden`.' },
      )
    const allowedTools = this.#allowedTools()
    const isInside = this.#draft.facts.form === 'code' || bringsCode(this.#metadata)
    const license = text(this.#fields['license'])
    const compatibility = text(this.#fields['compatibility'])
    return {
      skill: this.#draft.facts,
      metadata: this.#metadata,
      role,
      visibility: typeof visibility === 'string' ? visibility : undefined,
      allowedTools,
      license,
      compatibility,
      inProcess: isInside ? (true as const) : undefined,
      env: this.#draft.env,
      ...this.#lines(),
      ...this.#choosing(),
    }
  }

  /** Who may choose the skill, and what it is called with, as other clients write it (D11b). */
  #choosing(): Pick<SkillDetails, 'forModels' | 'forPeople' | 'argumentHint'> {
    const { facts, content = '' } = this.#draft
    const hint = text(this.#fields['argument-hint'])
    const isForModels = this.#fields['disable-model-invocation'] !== true && facts.layout !== 'command'
    return {
      forModels: isForModels ? undefined : false,
      forPeople: this.#fields['user-invocable'] === false ? false : undefined,
      argumentHint: hint ?? (facts.layout === 'command' || /\$ARGUMENTS\b/.test(content) ? '' : undefined),
    }
  }

  /** Lines of the keys the cascade may complain about later, when the text is no longer at hand. */
  #lines(): { lines?: { [key: string]: number } } {
    const keys = Object.keys(this.#metadata).filter(
      (key) => !dataKeys.has(key) || key === 'mcp' || key === 'delegate',
    )
    const lineOf = this.#draft.metadataLine
    return keys.length > 0 && lineOf
      ? { lines: Object.fromEntries(keys.map((key) => [key, lineOf(key)])) }
      : {}
  }

  #allowedTools(): string | undefined {
    const given = this.#fields['allowed-tools'] ?? (this.#draft.facts.layout && this.#fields['tools'])
    if (given === undefined) return undefined
    const list = Array.isArray(given) ? given.map(String).join(' ') : given === null ? '' : String(given)
    const { fault } = parseAllowedTools(list)
    if (fault !== null)
      this.#report(
        'warning',
        'ALLOWED_SYNTAX',
        `allowed-tools cannot be read, so it allows nothing: ${fault}.`,
        { path: ['allowed-tools'], hint: 'Close every bracket and quote.' },
      )
    return list
  }

  #schema(field: 'params' | 'returns'): JsonSchema | null {
    const given = this.#metadata[field]
    if (given === undefined || given === null) return null
    const path = ['metadata', field]
    if (!isPlainObject(given)) {
      if (field === 'returns' && typeof given === 'boolean') return given ? {} : { not: {} }
      this.#report('error', 'SCHEMA_INVALID', `${field} must be a JSON Schema.`, { path })
      return null
    }
    const schema = given as JsonSchema
    const [finding] = lintSchema(schema)
    if (finding) {
      this.#report(
        'error',
        'SCHEMA_INVALID',
        `${field} is not a valid schema at ${finding.pointer || 'its root'}: ${finding.message}.`,
        { path: [...path, ...finding.pointer.split('/').slice(1)] },
      )
      return schema
    }
    if (field === 'returns' || schema['type'] === 'object') return schema
    if (schema['type'] === undefined) return { type: 'object', ...schema }
    this.#report('error', 'SCHEMA_INVALID', 'The root of params must have the type object.', {
      path: [...path, 'type'],
    })
    return schema
  }

  #checkMisplaced(): void {
    for (const field of liftedKeys) {
      if (this.#fields[field] === undefined) continue
      this.#report('warning', 'FIELD_MISPLACED', `${field} has no effect at the top level.`, {
        path: [field],
        hint: `Move it under \`metadata:\`.`,
      })
    }
    if (this.#metadata['allowed-tools'] !== undefined)
      this.#report('warning', 'FIELD_MISPLACED', 'allowed-tools has no effect inside metadata.', {
        path: ['metadata', 'allowed-tools'],
        hint: 'Move it to the top level.',
      })
  }

  #checkAnnotations(): void {
    for (const key of Object.keys(this.#metadata)) {
      if (!key.startsWith('$') || annotations.has(key)) continue
      this.#report('warning', 'ANNOTATION_UNKNOWN', `${key} is not an annotation and is ignored.`, {
        path: ['metadata', key],
        hint: `Use one of ${[...annotations].join(', ')}.`,
      })
    }
    const statics = this.#metadata['$static']
    const locked = [
      ...(Array.isArray(statics) ? statics : [statics]).filter((name) => guardNames.includes(name as string)),
      ...Object.keys(isPlainObject(this.#metadata['$order']) ? this.#metadata['$order'] : {}).filter((name) =>
        guardNames.includes(name),
      ),
    ]
    for (const name of locked) {
      const annotation = (Array.isArray(statics) ? statics : [statics]).includes(name) ? '$static' : '$order'
      this.#report(
        'warning',
        'GUARD_LOCKED',
        `${annotation} names the guard ${String(name)}, which cannot be moved or silenced.`,
        { path: ['metadata', annotation], hint: 'Order your own keys before or after it instead.' },
      )
    }
    if (this.#metadata['$global'] !== undefined && this.#metadata['role'] !== 'main')
      this.#report('warning', 'ANNOTATION_NO_EFFECT', '$global counts only on a main skill.', {
        path: ['metadata', '$global'],
      })
  }

  #report(
    severity: Severity,
    code: string,
    message: string,
    { path, hint }: { readonly path: readonly string[]; readonly hint?: string },
  ): void {
    const { file, positionOf } = this.#draft
    this.#problems.push({
      code,
      severity,
      message,
      hint: hint ?? hintFor(code),
      file: file ?? undefined,
      ...positionOf(path),
    })
  }
}

function isMissingFrontmatter(problem: Problem): boolean {
  return problem.code === 'SKILL_FRONTMATTER_MISSING' || problem.code === 'SKILL_FRONTMATTER_INVALID'
}

/** True when a delegate or hook is code of the skill's own: inline, or a file it names. */
function bringsCode(metadata: JsonObject): boolean {
  const hooks = isPlainObject(metadata['$hook']) ? Object.values(metadata['$hook']).flat() : []
  return [metadata['delegate'], ...hooks].some((item) => {
    const ref = isPlainObject(item) ? item['ref'] : item
    return typeof ref === 'string' && /^inline:\/\/|\.(?:js|mjs|ts)$/.test(ref)
  })
}

function kindOf(role: string | undefined): ToolKind {
  return role === 'middleware' || role === 'context' ? role : 'callable'
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
