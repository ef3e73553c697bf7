// Reads one skill file, markdown or code, into a draft of a tool.

import type { Problem } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import type { Tier } from '../../tool/tool.ts'
import { bodyOf, readFrontmatter } from '../frontmatter.ts'
import { envOfText } from './expand-prompt.ts'
import { type MadeSkill, makeSkill } from './make-skill.ts'
import { type CodeFrontmatter, readCodeFrontmatter } from './read-code.ts'
import type { SkillFacts } from './settings.ts'

export interface SkillText {
  /** Absolute path; null for inline markdown. */
  readonly file: string | null
  readonly text: string
  readonly digest: string
  readonly tier: Tier
  readonly facts: SkillFacts
  readonly fallbackName?: string
}

/** Reads a skill's text by its form. */
export function readSkill(source: SkillText): MadeSkill {
  return source.facts.form === 'code' ? readCode(source) : readMarkdown(source)
}

function readMarkdown(source: SkillText): MadeSkill {
  const { file, text } = source
  const frontmatter = readFrontmatter(text)
  const place = file === null ? {} : { file }
  const problems = frontmatter.isPresent
    ? frontmatter.faults.map((fault) => ({
        code: 'SKILL_FRONTMATTER_INVALID',
        severity: 'error' as const,
        message: `The frontmatter cannot be read: ${fault.message}.`,
        hint: 'The block between the two `---` lines must be a YAML map without repeated keys.',
        ...place,
        line: fault.line,
        column: fault.column,
      }))
    : source.fallbackName === undefined && source.facts.layout !== 'command'
      ? [
          {
            code: 'SKILL_FRONTMATTER_MISSING',
            severity: 'warning' as const,
            message: 'The skill has no frontmatter; all of it counts as body.',
            hint: 'Start the file with `---`, `name:`, `description:` and `---`.',
            ...place,
            line: 1,
            column: 1,
          },
        ]
      : []
  // Files of our own kind are held to YAML (S3); what other clients take is taken here too (D11a).
  const isOurs = source.facts.form === 'markdown' && source.facts.layout === undefined
  const repairs = frontmatter.repaired.map(({ key, line, column }) => ({
    code: isOurs ? 'SKILL_FRONTMATTER_INVALID' : 'SKILL_FRONTMATTER_UNQUOTED',
    severity: isOurs ? ('error' as const) : ('warning' as const),
    message: isOurs
      ? `The frontmatter cannot be read: the value of "${key}" is no YAML.`
      : `The value of "${key}" is no YAML; it is read as plain text.`,
    hint: 'Put the value in quotes.',
    ...place,
    line,
    column,
  }))
  const content = bodyOf(text, frontmatter)
  const env = envOfText(text, content)
  return makeSkill({
    ...source,
    fields: frontmatter.data,
    positionOf: (path) => frontmatter.positionOf(path),
    metadataLine: (key) => lineOfKey(text, key),
    content,
    env,
    problems: [...problems, ...repairs],
  })
}

function readCode(source: SkillText): MadeSkill {
  const file = source.file ?? 'inline.js'
  const read = readCodeFrontmatter(file, source.text)
  const fault = faultOf(read)
  if (fault)
    return makeSkill({
      ...source,
      fields: {},
      positionOf: read.positionOf,
      problems: [{ severity: 'error', file, ...fault }],
    })
  const problems = exportProblems(read, source)
  if (read.dynamicAt)
    return makeSkill({
      ...source,
      facts: { ...source.facts, isDynamic: true },
      fields: {},
      positionOf: read.positionOf,
      problems: [
        ...problems,
        {
          code: 'FRONTMATTER_DYNAMIC',
          severity: 'warning',
          message:
            'The frontmatter is computed, so only the name of the file is known until the skill is called or described.',
          hint: 'Write `export const frontmatter` as a plain literal.',
          file,
          ...read.dynamicAt,
        },
      ],
    })
  return makeSkill({
    ...source,
    fields: read.fields ?? {},
    positionOf: read.positionOf,
    metadataLine: (key) => read.positionOf(['metadata', key]).line,
    problems,
  })
}

/** Why nothing of the file can be used. */
function faultOf({ syntaxError, repeated }: CodeFrontmatter): Omit<Problem, 'severity' | 'file'> | undefined {
  if (syntaxError) {
    const { message, ...place } = syntaxError
    return {
      code: 'SKILL_SYNTAX',
      message: `The code cannot be read: ${message.replace(/\.$/, '')}.`,
      hint: hintFor('SKILL_SYNTAX'),
      ...place,
    }
  }
  if (!repeated) return undefined
  const { key, ...place } = repeated
  return {
    code: 'SKILL_FRONTMATTER_INVALID',
    message: `The frontmatter cannot be read: the key "${key}" stands twice in one object.`,
    hint: 'Keep one of the two.',
    ...place,
  }
}

/** A call would end with EXPORT_INVALID; a skill that delegates needs no function of its own. */
function exportProblems({ noFunctionAt, fields }: CodeFrontmatter, { file }: SkillText): Problem[] {
  const metadata = fields?.['metadata'] as { readonly delegate?: unknown } | undefined
  if (!noFunctionAt || file === null || typeof metadata?.delegate === 'string') return []
  return [
    {
      code: 'EXPORT_INVALID',
      severity: 'warning',
      message: 'The module has no default export that is a function, so a call of it fails.',
      hint: 'Add `export default async function (ctx, args) { … }`.',
      file,
      ...noFunctionAt,
    },
  ]
}

/** The first indented line that begins with the key: good enough to point at, and no second YAML parse. */
function lineOfKey(text: string, key: string): number {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => line.startsWith('metadata:'))
  const found = lines.findIndex(
    (line, at) => at >= from && line.replace(/^[\s{"']+|^metadata:[\s{"']*/, '').startsWith(key),
  )
  return Math.max(found, from, 0) + 1
}
