// What a run did to the files of a project, as plain data (E6). Paths are relative to the project, in text as
// `files/path-bytes.ts` writes it, so that every name survives JSON.

/** What is at a path. */
export interface EntryState {
  readonly type: 'file' | 'folder' | 'link' | 'other'
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode: number
  readonly size: number
  /** Of a file's bytes. */
  readonly sha256?: string
  /** Number of lines of a file that is text. */
  readonly lines?: number
  /** Where a link points to. */
  readonly target?: string
  /** Changes whenever the entry does; only of use on the machine that made it. */
  readonly stamp?: string
}

export interface Change {
  readonly kind: 'created' | 'changed' | 'deleted' | 'moved' | 'mode' | 'link'
  readonly path: string
  /** Where something moved was before. */
  readonly from?: string
  readonly before?: EntryState
  readonly after?: EntryState
  readonly isText: boolean
  /** Lines added and removed; 0 where it is no text. */
  readonly added: number
  readonly removed: number
  /** The project's own entry changed while the run was under way: `before` is not what the run began with (E12). */
  readonly isStale?: boolean
}

export interface ChangeSet {
  readonly changes: readonly Change[]
  /** Which limit was reached: the list is not whole then. */
  readonly exceeded?: 'files' | 'bytes'
  /** When it was put in place. */
  readonly atMs?: number
}

/** One path's way from one state to another; a move is two of them. */
export interface Transition {
  readonly path: string
  readonly before: EntryState | undefined
  readonly after: EntryState | undefined
  readonly isStale?: boolean
}

export function transitionsOf({ path, from, before, after, isStale = false }: Change): Transition[] {
  if (from === undefined) return [{ path, before, after, isStale }]
  return [
    { path: from, before, after: undefined, isStale },
    { path, before: undefined, after },
  ]
}

/** Whether two states are the same to a reader: type, content, and rights where the type has any. */
export function isSameState(one: EntryState | undefined, other: EntryState | undefined): boolean {
  if (!one || !other) return one === other
  if (one.type !== other.type || one.sha256 !== other.sha256 || one.target !== other.target) return false
  return one.type === 'link' || one.mode === other.mode
}

/** A folder that was made, removed or given other rights. */
export function isOfFolder({ before, after }: Change): boolean {
  return (before ?? after)!.type === 'folder' && (after ?? before)!.type === 'folder'
}

/** What people are told of: files, and folders that got other rights or came or went with nothing in them. */
export function listedChanges(changes: readonly Change[]): Change[] {
  const filled = new Set(changes.flatMap(transitionsOf).flatMap(({ path }) => foldersAbove(path)))
  return changes.filter((change) => !isOfFolder(change) || change.kind === 'mode' || !filled.has(change.path))
}

/** The folders that a path lies in, the outermost first. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
