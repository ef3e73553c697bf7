// Changes `toolcrib.yaml` for somebody who edits it by button: comments and order of the file stay as they are.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Document } from 'yaml'
import { type Json, sha256 } from '../tool/json.ts'
import { lazyModule } from '../tool/lazy-module.ts'
import { ToolError } from '../tool/tool-error.ts'

const yaml = lazyModule<typeof import('yaml')>('yaml')

/** A change of the settings file that was not written yet. */
export interface SettingsEdit {
  readonly file: string
  readonly before: string
  readonly after: string
  /** Of `before`: who saves says which text was seen. */
  readonly digest: string
}

/** A list of the settings with items added or taken away, by the path of its key. */
export interface ListChange {
  readonly path: readonly string[]
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** A value of the settings, by the path of its key. */
export interface ValueChange {
  readonly path: readonly string[]
  readonly value: Json
}

/** The settings file of a project with something changed; throws CONFIG_INVALID where the file cannot be read. */
export function editSettings(
  project: string,
  ...changes: readonly (ListChange | ValueChange)[]
): SettingsEdit {
  const file = join(project, 'toolcrib.yaml')
  const before = textOf(file)
  const document = yaml().parseDocument(before)
  if (document.errors.length > 0)
    throw new ToolError('CONFIG_INVALID', `toolcrib.yaml cannot be read: ${document.errors[0]!.message}`, {
      hint: 'Fix it in an editor first; `toolcrib check` says where.',
    })
  const asRead = textsOf(document)
  if (document.contents === null) document.contents = document.createNode({}) as never
  if (!yaml().isMap(document.contents))
    throw new ToolError('CONFIG_INVALID', 'toolcrib.yaml is no mapping of settings.')
  for (const change of changes) {
    const { path } = change
    const value = 'value' in change ? change.value : changedList(document.toJS(), change)
    const known = document.getIn(path, true)
    if (Array.isArray(value) && value.length === 0) document.deleteIn(path)
    // The comment behind a value belongs to its line.
    else if (yaml().isScalar(known) && (value === null || typeof value !== 'object')) known.value = value
    else document.setIn(path, document.createNode(value, { flow: true }))
  }
  return { file, before, after: withChange(before, asRead, textsOf(document)), digest: sha256(before) }
}

function textsOf(document: Document): readonly string[] {
  return document.toString({ lineWidth: 110, flowCollectionPadding: false }).split('\n')
}

/** The file with the lines that differ, and all others as somebody wrote them. */
function withChange(before: string, asRead: readonly string[], changed: readonly string[]): string {
  const own = before.split('\n')
  // Where the lines of the file are not those of its text as it would be written, there is no telling which is which.
  if (own.length !== asRead.length) return changed.join('\n')
  let start = 0
  const shorter = Math.min(asRead.length, changed.length)
  while (start < shorter && asRead[start] === changed[start]) start++
  let end = 0
  while (end < shorter - start && asRead.at(-1 - end) === changed.at(-1 - end)) end++
  return [
    ...own.slice(0, start),
    ...changed.slice(start, changed.length - end),
    ...own.slice(own.length - end),
  ].join('\n')
}

function changedList(known: unknown, { path, add = [], remove = [] }: ListChange): string[] {
  const present = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], known)
  const list = Array.isArray(present) ? present.map(String) : []
  return [...new Set([...list, ...add])].filter((item) => !remove.includes(item))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
