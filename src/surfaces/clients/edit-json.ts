// One member of a commented JSON file, put in or taken out by its characters: nothing else of the text changes, so that
// taking it out again gives back the very file.
import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import type { JsonObject } from '../../tool/json.ts'

/** `entry` undefined takes the member out. The text is known to be an object. */
export function jsonWith(text: string, path: readonly string[], entry: JsonObject | undefined): string {
  const base = text.trim() === '' ? '{}\n' : text
  const root = parseTree(base, [], { allowTrailingComma: true })!
  const value = findNodeAtLocation(root, [...path])
  if (entry === undefined) return value ? without(base, value.parent!) : base
  const unit = /^[ \t]+(?=["/])/m.exec(base)?.[0] ?? '  '
  const lineEnd = base.includes('\r\n') ? '\r\n' : '\n'
  const written = (what: unknown, margin: string) =>
    JSON.stringify(what, undefined, unit).replaceAll('\n', `${lineEnd}${margin}`)
  if (value) {
    const end = value.offset + value.length
    return base.slice(0, value.offset) + written(entry, marginAt(base, value.offset)) + base.slice(end)
  }
  let depth = path.length - 1
  let parent = root
  for (; depth >= 0; depth--) {
    const found = findNodeAtLocation(root, path.slice(0, depth))
    if (found?.type === 'object') {
      parent = found
      break
    }
  }
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry)
  const blank = findNodeAtLocation(root, path.slice(0, depth + 1))
  if (blank)
    return (
      base.slice(0, blank.offset) +
      written(nested, marginAt(base, blank.offset)) +
      base.slice(blank.offset + blank.length)
    )
  const outer = marginAt(base, parent.offset)
  const margin = `${outer}${unit}`
  const member = `${lineEnd}${margin}${JSON.stringify(path[depth])}: ${written(nested, margin)}`
  return withMember(base, parent, { member, closing: `${lineEnd}${outer}` })
}

interface Addition {
  readonly member: string
  /** What parts it from the closing bracket, where nothing stands there yet. */
  readonly closing: string
}

function withMember(text: string, parent: Node, { member, closing }: Addition): string {
  const last = parent.children?.at(-1)
  const from = last ? last.offset + last.length : parent.offset + 1
  const next = nextToken(text, from)
  const hasComma = text[next] === ','
  const after = hasComma ? next + 1 : from
  const place =
    after + (/^(?:[ \t]|\/\/.*|\/\*[^\n]*?\*\/)*(?=\r?\n)/.exec(text.slice(after))?.[0].length ?? 0)
  const isOneLine = !text.slice(place, nextToken(text, after)).includes('\n')
  const comma = last && !hasComma ? ',' : ''
  return `${text.slice(0, from)}${comma}${text.slice(from, place)}${member}${hasComma ? ',' : ''}${!last && isOneLine ? closing : ''}${text.slice(place)}`
}

/** Without a member, the line break before it, and the one comma that is too many then. */
function without(text: string, member: Node): string {
  const siblings = member.parent!.children!
  const index = siblings.indexOf(member)
  const before = siblings[index - 1]
  const end = member.offset + member.length
  const next = nextToken(text, end)
  const start = member.offset - (/\r?\n[ \t]*$|[ \t]*$/.exec(text.slice(0, member.offset))?.[0].length ?? 0)
  if (text[next] === ',') return text.slice(0, start) + text.slice(next + 1)
  if (!before) {
    const close = text.slice(end).match(/^\s*(?=\})/)?.[0].length ?? 0
    return text.slice(0, start) + text.slice(end + close)
  }
  const comma = nextToken(text, before.offset + before.length)
  return text.slice(0, comma) + text.slice(comma + 1, start) + text.slice(end)
}

/** Where the next thing stands that is neither space nor comment. */
function nextToken(text: string, from: number): number {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  return scanner.getTokenOffset()
}

function marginAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0]
}
