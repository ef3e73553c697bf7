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
      file(/ b\/(.*)$/.exec(line)?.[1] ?? line.slice(11))
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
  return name.replace(/\t.*$/, '').replace(/^[ab]\//, '')
}
