// A change set as a unified diff, as git writes it (E16). Bounded: what is left out is said.
import { pathOfText } from '../../files/path-bytes.ts'
import { type Change, type ChangeSet, type EntryState, isOfFolder, listedChanges } from './change-set.ts'
import type { Contents } from './describe-change.ts'
import { maxTextBytes } from './entry-state.ts'
import { type Hunk, lineDiff, linesOf } from './line-diff.ts'

export interface DiffBounds {
  /** Most lines of the whole text. */
  readonly lines?: number
}

const defaultLines = 10_000
/** Unchanged lines around a change. */
const around = 3

/** The difference as text; each file's part begins with `diff --git`, and a folder is one line. */
export function unifiedDiff(set: ChangeSet, contents: Contents, bounds: DiffBounds = {}): string {
  const { lines: most = defaultLines } = bounds
  const lines: string[] = []
  let left = 0
  for (const change of listedChanges(set.changes)) {
    if (lines.length >= most) left += 1
    else for (const line of diffOf(change, contents)) lines.push(line)
  }
  const cut = lines.length > most ? lines.splice(most).length : 0
  if (cut > 0 || left > 0) lines.push(`# ${cut} more lines, and ${left} more files, are left out.`)
  if (set.exceeded) lines.push('# The run changed more than is listed.')
  return lines.map((line) => `${line}\n`).join('')
}

function diffOf(change: Change, contents: Contents): string[] {
  const { path, from = path, before, after, kind } = change
  if (isOfFolder(change)) return [folderLine(change)]
  const head = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${path}`)}`]
  if (!before) head.push(`new file mode ${modeOf(after!)}`)
  else if (!after) head.push(`deleted file mode ${modeOf(before)}`)
  else if (modeOf(before) !== modeOf(after))
    head.push(`old mode ${modeOf(before)}`, `new mode ${modeOf(after)}`)
  if (kind === 'moved') head.push(`rename from ${quoted(from)}`, `rename to ${quoted(path)}`)
  if (isSameContent(before, after)) return head
  const [old, fresh] = [
    textOf(before, () => contents.before(change)),
    textOf(after, () => contents.after(change)),
  ]
  const sides = [
    before ? quoted(`a/${from}`) : '/dev/null',
    after ? quoted(`b/${path}`) : '/dev/null',
  ] as const
  if (!old || !fresh) return [...head, `Binary files ${sides[0]} and ${sides[1]} differ`]
  const hunks = lineDiff(old, fresh)
  if (hunks.length === 0) return head
  return [
    ...head,
    `--- ${sides[0]}`,
    `+++ ${sides[1]}`,
    ...grouped(hunks).flatMap((group) => hunkLines(group, old, fresh)),
  ]
}

/** git knows no folders: it reads over such a line. */
function folderLine({ path, before, after }: Change): string {
  const [old, fresh] = [before, after].map((state) => state && (state.mode & 0o7777).toString(8))
  if (!old) return `# new folder, mode ${fresh}: ${quoted(path)}`
  return fresh ? `# folder, mode ${old} to ${fresh}: ${quoted(path)}` : `# removed folder: ${quoted(path)}`
}

function isSameContent(before: EntryState | undefined, after: EntryState | undefined): boolean {
  return before?.sha256 === after?.sha256 && before?.target === after?.target
}

/** The lines of one side; undefined where they are no text, too many or not kept. */
function textOf(state: EntryState | undefined, read: () => Buffer | undefined): string[] | undefined {
  if (!state || state.type === 'folder') return []
  if (state.type === 'link') return linesOf(Buffer.from(state.target!))
  if (state.lines === undefined || state.size > maxTextBytes) return undefined
  const bytes = read()
  return bytes && linesOf(bytes)
}

/** Changes that are near each other are shown together. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = []
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1)
    if (last && hunk.before.from - last.before.to <= 2 * around) groups.at(-1)!.push(hunk)
    else groups.push([hunk])
  }
  return groups
}

function hunkLines(group: readonly Hunk[], old: readonly string[], fresh: readonly string[]): string[] {
  const [first, last] = [group[0]!, group.at(-1)!]
  const lead = Math.min(around, first.before.from)
  const from = { before: first.before.from - lead, after: first.after.from - lead }
  const trail = Math.min(around, old.length - last.before.to)
  const to = { before: last.before.to + trail, after: last.after.to + trail }
  const lines: string[] = []
  let at = from.before
  for (const { before, after } of group) {
    lines.push(...shown(' ', old.slice(at, before.from)))
    lines.push(
      ...shown('-', old.slice(before.from, before.to)),
      ...shown('+', fresh.slice(after.from, after.to)),
    )
    at = before.to
  }
  lines.push(...shown(' ', old.slice(at, to.before)))
  return [`@@ -${range(from.before, to.before)} +${range(from.after, to.after)} @@`, ...lines]
}

function range(from: number, to: number): string {
  const count = to - from
  const start = count === 0 ? from : from + 1
  return count === 1 ? `${start}` : `${start},${count}`
}

function shown(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const text = Buffer.from(line, 'latin1').toString('utf8')
    return text.endsWith('\n')
      ? [`${sign}${text.slice(0, -1)}`]
      : [`${sign}${text}`, '\\ No newline at end of file']
  })
}

function modeOf({ type, mode }: EntryState): string {
  if (type === 'link') return '120000'
  const kind = type === 'folder' ? 0o40000 : 0o100000
  return (kind | mode).toString(8).padStart(6, '0')
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '"': '\\"', '\\': '\\\\' }

/** A name that could be mistaken for something else is written as git writes it: in quotes, odd bytes by number. */
function quoted(path: string): string {
  if (!/[\x00-\x1f"\\\x7f\udc80-\udcff]/u.test(path)) return path
  const bytes = Buffer.from(pathOfText(path)).toString('latin1')
  const byNumber = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
  return `"${bytes.replace(/[^ !#-[\]-~]/g, (byte) => named[byte] ?? byNumber(byte))}"`
}
