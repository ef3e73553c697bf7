// Trees of files as plain data, to compare what a commit left with what it should have left.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lstatBelow, namesBelow } from '../../src/files/look-below.ts'
import {
  type Change,
  type ChangeSet,
  type EntryState,
  isSameState,
} from '../../src/sandbox/changes/change-set.ts'
import { describeChange } from '../../src/sandbox/changes/describe-change.ts'
import { stateBelow } from '../../src/sandbox/changes/entry-state.ts'

/** Every entry below a folder, by path, as one line each. */
export function treeOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    [...statesOf(folder)].map(([path, { type, mode, sha256, target }]) => [
      path,
      `${type} ${type === 'link' ? target : mode.toString(8)} ${sha256 ?? ''}`,
    ]),
  )
}

function statesOf(folder: string, path = ''): Map<string, EntryState> {
  const states = new Map<string, EntryState>()
  for (const name of namesBelow(folder, path)) {
    const inner = path === '' ? name : `${path}/${name}`
    states.set(inner, stateBelow(folder, inner)!)
    if (lstatBelow(folder, inner)!.isDirectory())
      for (const [below, state] of statesOf(folder, inner)) states.set(below, state)
  }
  return states
}

/** The change set that makes one tree of another, as a run on a layer would have left it. */
export function changesBetween(from: string, to: string): ChangeSet {
  const [old, fresh] = [statesOf(from), statesOf(to)]
  const none = { before: () => undefined, after: () => undefined }
  const changes = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((path): Change[] => {
    const [before, after] = [old.get(path), fresh.get(path)]
    return isSameState(before, after) ? [] : [describeChange({ path, before, after }, none) ?? []].flat()
  })
  return { changes }
}

/** Writes files, by path; a value that begins with `-> ` is a link, `/` a folder. */
export function plant(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    const full = join(folder, path)
    mkdirSync(content === '/' ? full : dirname(full), { recursive: true })
    if (content === '/') continue
    if (typeof content === 'string' && content.startsWith('-> ')) symlinkSync(content.slice(3), full)
    else writeFileSync(full, content)
  }
}
