// A difference as git writes it, read into files and lines.

export interface FileDiff {
  readonly path: string
  /** What the head says beyond the two names: new, deleted, renamed, mode. */
  readonly notes: readonly string[]
  readonly lines: readonly PatchLine[]
  readonly added: number
  readonly removed: number
}

export interface PatchLine {
  readonly kind: 'same' | 'added' | 'removed' | 'hunk'
  readonly text: string
  readonly before?: number
  readonly after?: number
}

export function readDiff(text: string): FileDiff[] {
  const files: { path: string; notes: string[]; lines: PatchLine[]; added: number; removed: number }[] = []
  let before = 0
  let after = 0
  let inHunk = false
  const file = (path: string) => {
    files.push({ path, notes: [], lines: [], added: 0, removed: 0 })
    inHunk = false
  }
  for (const line of text.split('\n')) {
    const last = files.at(-1)
    if (line.startsWith('diff --git ')) {
      file(newNameOf(line.slice(11)))
      continue
    }
    const folder = /^# (.*folder.*?): (.*)$/.exec(line)
    if (folder) {
      file(unquoted(folder[2]!))
      files.at(-1)!.notes.push(folder[1]!)
      continue
    }
    if (!inHunk && line.startsWith('--- ')) {
      if (!last || last.lines.length > 0) file(pathOf(line.slice(4)))
      continue
    }
    if (!inHunk && line.startsWith('+++ ')) {
      const path = pathOf(line.slice(4))
      if (last && path !== '/dev/null') last.path = path
      continue
    }
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk && last) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      inHunk = true
      last.lines.push({ kind: 'hunk', text: line })
    } else if (!last) continue
    else if (!inHunk) {
      if (line.startsWith('rename to ')) last.path = unquoted(line.slice(10))
      if (line !== '' && !line.startsWith('index ')) last.notes.push(line)
    } else if (line.startsWith('+')) {
      last.added++
      last.lines.push({ kind: 'added', text: line.slice(1), after: after++ })
    } else if (line.startsWith('-')) {
      last.removed++
      last.lines.push({ kind: 'removed', text: line.slice(1), before: before++ })
    } else if (line.startsWith(' '))
      last.lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ })
    else if (line.startsWith('\\')) last.lines.push({ kind: 'hunk', text: line })
  }
  return files
}

function pathOf(name: string): string {
  return unquoted(name.startsWith('"') ? name : name.replace(/\t.*$/, '')).replace(/^[ab]\//, '')
}

/** Of the two names of a head, which are the same unless a later line says otherwise. */
function newNameOf(names: string): string {
  if (names.startsWith('"') || names.endsWith('"'))
    return pathOf(/ ("b\/(?:[^"\\]|\\.)*"|b\/.*)$/.exec(names)?.[1] ?? names)
  const half = names.slice((names.length + 1) / 2)
  return pathOf(names === `a${half.slice(1)} ${half}` ? half : (/ (b\/.*)$/.exec(names)?.[1] ?? names))
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A name that git has put in quotes, as the rest of Toolcrib writes it (`files/path-bytes.ts`). */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name
  const bytes: number[] = []
  for (const [part] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]/g)) {
    if (/^\\\d/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8))
    else
      bytes.push((part.startsWith('\\') ? ({ n: '\n', t: '\t' }[part[1]!] ?? part[1]!) : part).charCodeAt(0))
  }
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at]!
    const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    try {
      text += decoder.decode(Uint8Array.from(bytes.slice(at, at + length)))
      at += length
    } catch {
      text += String.fromCharCode(0xdc00 + lead)
      at += 1
    }
  }
  return text
}
