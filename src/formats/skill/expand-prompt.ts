// The text of a markdown skill as a model reads it: what each directive puts in, and what it must not.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { isReallyInside } from '../../files/real-path.ts'
import { pathGet } from '../../tool/path.ts'
import type { Tool } from '../../tool/tool.ts'
import { expandDirectives } from './directives.ts'

/** What directives may see. */
export interface PromptSources {
  /** The call's context; without `hasCall`, a blank one. */
  readonly context: PromptContext
  /** False where nobody calls: arguments are then left as written. */
  readonly hasCall: boolean
  /** Names `:env` may read. */
  readonly envNames: readonly string[]
  readonly env: { readonly [name: string]: string | undefined }
  /** The raw text of a skill; undefined when there is none that may be read. */
  skillText(name: string): string | undefined
  /** Name, description and params of a tool the agent may call, as text. */
  toolText(name: string): string | undefined
  /** Told once per variable that was asked for and is not allowed. */
  warn(message: string): void
}

export interface PromptContext {
  readonly args: unknown
  readonly run: object
  readonly locals: { readonly [key: string]: unknown }
  readonly nonlocals: object
  readonly envelope: { readonly id: string }
}

/** The skill's own text with its directives replaced. */
export function expandPrompt(tool: Tool, text: string, sources: PromptSources): string {
  const { args, run, locals, nonlocals, envelope } = sources.context
  // Only these parts; `globals`, `manager` and the rest of the envelope are not for prompts.
  const visible = { args, run, locals, nonlocals, envelope: { id: envelope.id } }
  const warned = new Set<string>()
  const expanded = expandDirectives(text, (name, label) => {
    switch (name) {
      case 'arg':
        return sources.hasCall ? asText(pathGet(args, label)) : undefined
      case 'context':
        return asText(pathGet(visible, label))
      case 'config':
        return asText(pathGet(locals['config'], label))
      case 'path':
        return pathInside(tool, label)
      case 'skill':
        return sources.skillText(label)
      case 'tool':
        return sources.toolText(label)
      case 'env': {
        if (sources.envNames.includes(label)) return sources.env[label] ?? ''
        if (!warned.has(label)) sources.warn(envWarning(label))
        warned.add(label)
        return undefined
      }
      default:
        return undefined
    }
  })
  return sources.hasCall && tool.details?.argumentHint !== undefined
    ? withArguments(expanded, args)
    : expanded
}

/** `$ARGUMENTS`, `$ARGUMENTS[0]` and `$1` as other clients put them in; a text without them gets them at its end (D11b). */
function withArguments(text: string, args: unknown): string {
  const given = (args as { readonly arguments?: unknown } | null | undefined)?.arguments
  const whole = typeof given === 'string' ? given : ''
  const words = whole.split(/\s+/).filter((word) => word !== '')
  let isUsed = false
  const filled = text.replace(
    /\$ARGUMENTS(?:\[(\d+)\])?|\$([1-9])\b/g,
    (_, index?: string, place?: string) => {
      isUsed = true
      if (index !== undefined) return words[Number(index)] ?? ''
      return place === undefined ? whole : (words[Number(place) - 1] ?? '')
    },
  )
  return isUsed || whole === '' ? filled : `${filled.trimEnd()}\n\nARGUMENTS: ${whole}\n`
}

/** The variables a skill's text asks for, each with the line of the file where it first does. */
export function envOfText(text: string, body: string): { readonly [name: string]: number } | undefined {
  if (!body.includes(':env[')) return undefined
  const lines: { [name: string]: number } = {}
  expandDirectives(body, (name, label) => {
    if (name === 'env' && !Object.hasOwn(lines, label))
      lines[label] = text
        .slice(0, text.indexOf(`:env[${label}]`, text.length - body.length))
        .split('\n').length
    return undefined
  })
  return lines
}

export function envWarning(name: string): string {
  return `:env[${name}] is not inserted, because ${name} is not in skills.promptEnv.`
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // A circle or a bigint has no text.
    return ''
  }
}

/** An absolute path in the skill's folder; one that leads out of it is not given. */
function pathInside(tool: Tool, label: string): string | undefined {
  if (tool.source.file === null) return undefined
  const folder = dirname(tool.source.file)
  const path = resolve(folder, label)
  if (!isInside(path, folder)) return undefined
  return existsSync(path) && !isReallyInside(path, folder) ? undefined : path
}
