// The layer of one run: a folder of its own in the user's state folder, where the kernel puts what the run writes.
// The project below stays as it is until the change set is committed.
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isLiveNode, thisNode } from '../../config/node-identity.ts'
import { userState } from '../../config/spaces.ts'
import { textOfName } from '../../files/path-bytes.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { sha256 } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { LayerStep } from '../view/view-step.ts'

export interface Layer {
  /** Id of the run that it belongs to. */
  readonly run: string
  /** Holds everything of the layer, mode 0700. */
  readonly folder: string
  /** The project, by its real path. */
  readonly lower: string
  readonly upper: string
  readonly work: string
  readonly notes: string
  /** When it was made, by the file system's clock: what has a later change time in the project changed since. */
  readonly madeAtMs: number
  /** How far the clock was before a steady one then; absent: another process made it. */
  readonly clockMs?: number
  /** The process that made it (`config/node-identity.ts`). */
  readonly owner: string
  /** The layer of the held run around it, on top of which it stands (E13). */
  readonly below?: Layer | undefined
}

export interface LayerOptions {
  readonly project: string
  /** Id of the run; one layer each. */
  readonly run: string
  /** Where layers are kept; default: the user's state folder. */
  readonly state?: string | undefined
  /** The process that makes it. */
  readonly owner?: string
  readonly below?: Layer | undefined
}

/** In it stand the process that made a layer, and its project. */
const ownerName = 'project'

/** Where what belongs to one project is kept below the user's state folder. */
export function projectState(
  kind: 'layers' | 'images' | 'changes' | 'set-aside',
  project: string,
  state = userState(),
): string {
  return join(state, kind, sha256(nearestRealPath(project)).slice(0, 16))
}

/** Makes the layer of a run. Throws when the run has one already. */
export function makeLayer({ project, run, state, owner = thisNode(), below }: LayerOptions): Layer {
  const parent = projectState('layers', project, state)
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const folder = join(nearestRealPath(parent), nameOf(run))
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(join(folder, ownerName), `${owner}\n${nearestRealPath(project)}`, { mode: 0o600 })
  mkdirSync(join(folder, 'upper'), { mode: statSync(project).mode & 0o7777 })
  mkdirSync(join(folder, 'work'), { mode: 0o700 })
  writeFileSync(join(folder, 'notes'), '', { mode: 0o600 })
  return { ...layerIn(folder), clockMs: clockMs(), ...(below && { below }) }
}

/** Grows when the clock is set forward and shrinks when it is set back, whatever time goes by. */
function clockMs(): number {
  return Date.now() - performance.now()
}

/** A clock tells whole milliseconds. */
const clockErrorMs = 2

/** Whether the clock was set back since the layer was made: what changed since may look older. */
export function isClockBack(layer: Pick<Layer, 'clockMs'>): boolean {
  return layer.clockMs !== undefined && clockMs() < layer.clockMs - clockErrorMs
}

/** A layer that nobody has used, as if it were made now for a run. Throws when the run has one already. */
export function givenTo(run: string, spare: Layer): Layer {
  const folder = join(dirname(spare.folder), nameOf(run))
  renameSync(spare.folder, folder)
  const [upper, work, notes] = ['upper', 'work', 'notes'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  // The project's folder may have got other rights since.
  const mode = statSync(spare.lower).mode & 0o7777
  if ((statSync(upper).mode & 0o7777) !== mode) chmodSync(upper, mode)
  return begunNow({ ...spare, run, folder, upper, work, notes })
}

function nameOf(run: string): string {
  return encodeURIComponent(run).replaceAll('.', '%2E')
}

/** Says of a layer that no process stands on yet that nothing was written to it. */
export function markEmpty({ notes }: Layer): void {
  writeFileSync(notes, 'end\0')
}

/** A layer to which nothing was written yet, as if it were made now. */
export function begunNow(layer: Layer): Layer {
  const project = join(layer.folder, ownerName)
  const now = new Date()
  utimesSync(project, now, now)
  return { ...layer, madeAtMs: statSync(project).ctimeMs, clockMs: clockMs() }
}

/** The same layer for one more process: the kernel wants a work folder of its own for each mount. */
export function mountedAgain(layer: Layer): Layer {
  const work = join(layer.folder, `work-${randomUUID()}`)
  mkdirSync(work, { mode: 0o700 })
  return { ...layer, work }
}

/** The layer that was made in a folder, also by an earlier process (a held one, E9). */
export function layerIn(folder: string): Layer {
  const project = join(folder, ownerName)
  try {
    const text = readFileSync(project, 'utf8')
    const end = text.indexOf('\n')
    return {
      run: decodeURIComponent(basename(folder)),
      folder,
      lower: text.slice(end + 1),
      owner: text.slice(0, end),
      upper: join(folder, 'upper'),
      work: join(folder, 'work'),
      notes: join(folder, 'notes'),
      madeAtMs: statSync(project).ctimeMs,
    }
  } catch (cause) {
    throw new ToolError('INTERNAL', `The layer ${folder} is gone or damaged.`, {
      hint: 'Its changes cannot be read any more; run the tool again.',
      cause,
    })
  }
}

const heldName = 'held'
const decidingName = 'deciding-'

/** Keeps a layer over the end of its process, until somebody decides on it (E9). */
export function markHeld({ folder }: Layer): void {
  writeFileSync(join(folder, heldName), '', { mode: 0o600 })
}

export function isHeld({ folder }: Layer): boolean {
  return existsSync(join(folder, heldName)) || deciderOf(folder) !== undefined
}

/** One decides at a time, also of several processes. False: somebody else is about to. */
export function beginDeciding({ folder }: Layer): boolean {
  const decider = deciderOf(folder)
  if (decider && isLiveNode(decider)) return false
  const from = decider ? `${decidingName}${decider}` : heldName
  try {
    renameSync(join(folder, from), join(folder, `${decidingName}${thisNode()}`))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Nothing came of it: the layer waits as before. */
export function endDeciding({ folder }: Layer): void {
  const own = join(folder, `${decidingName}${thisNode()}`)
  if (existsSync(own)) renameSync(own, join(folder, heldName))
}

function deciderOf(folder: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.find((name) => name.startsWith(decidingName))?.slice(decidingName.length)
}

/** The layers of a project: also those of runs that ended with their host, which nobody will commit (E10). */
export function layersOf(project: string, state?: string): Layer[] {
  const parent = projectState('layers', project, state)
  const names = existsSync(parent) ? readdirSync(parent).sort() : []
  return names.flatMap((name) => {
    try {
      return [layerIn(join(nearestRealPath(parent), name))]
    } catch {
      // Removed meanwhile, or not made to the end.
      return []
    }
  })
}

/** The step that shows the project with the layer on top in what is bound from it. */
export function layerStep({ lower, upper, work, notes, below }: Layer): LayerStep {
  return { kind: 'layer', lower, upper, work, notes, below: below?.upper }
}

/** What only the engine can read of a layer. */
export interface LayerNotes {
  /** Folders that hide what the project has below them. */
  readonly opaque: ReadonlySet<string>
  /** Files that the run did not make: the project had them, under this name or another. */
  readonly copied: ReadonlySet<string>
}

/** Throws when the engine did not end properly. */
export function readNotes(layer: Layer): LayerNotes {
  const bytes = readFileSync(layer.notes)
  const words: string[] = []
  for (let from = 0, to = bytes.indexOf(0); to >= 0; from = to + 1, to = bytes.indexOf(0, from))
    words.push(textOfName(bytes.subarray(from, to)))
  if (words.pop() !== 'end' || bytes.at(-1) !== 0)
    throw new ToolError(
      'INTERNAL',
      `What the run changed is not known: its layer ${layer.folder} was not closed.`,
      {
        hint: 'The run was stopped before its end, or the disk is full; nothing of it was committed.',
      },
    )
  const named = (word: string) =>
    new Set(words.filter((_, index) => index % 2 === 1 && words[index - 1] === word))
  return { opaque: named('opaque'), copied: named('copied') }
}

/** Removes a layer with everything written to it, whatever rights the run gave its folders. */
export function removeLayer({ folder }: Pick<Layer, 'folder'>): void {
  for (const path of beforeOwner(folder)) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      removeFolder(Buffer.from(path))
    }
  }
  rmSync(folder, { recursive: true, force: true })
}

/** The same without keeping anybody waiting. */
export async function removeLayerLater({ folder }: Pick<Layer, 'folder'>): Promise<void> {
  try {
    for (const path of beforeOwner(folder)) await rm(path, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  } catch {
    removeLayer({ folder })
  }
}

/** What goes before the file that says whose layer it is, so that a later start finds what is left when we die now. */
function beforeOwner(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.filter((name) => name !== ownerName).map((name) => join(folder, name))
}

function removeFolder(folder: Buffer): void {
  chmodSync(folder, 0o700)
  const entries: Dirent<Buffer>[] = readdirSync(folder, { encoding: 'buffer', withFileTypes: true })
  for (const entry of entries) {
    const path = Buffer.concat([folder, Buffer.from('/'), entry.name])
    if (entry.isDirectory()) removeFolder(path)
    else rmSync(path)
  }
  rmdirSync(folder)
}
