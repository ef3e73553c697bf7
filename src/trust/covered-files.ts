// Which files must be vouched for before a tool runs: those it was read from, and those its format says it is made of.
import { systemSpace } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { isReallyInside } from '../files/real-path.ts'
import { partsOf } from '../formats/tool-parts.ts'
import type { Tool } from '../tool/tool.ts'

export interface CoveredFile {
  readonly file: string
  /** True when it ships with Toolcrib. */
  readonly isShipped: boolean
  /** True when a symbolic link leads out of the folder it was found in: refused whatever it holds. */
  readonly escapes: boolean
}

/** What was found of a list of files; a format that gives the same list again means the same files. */
const known = new WeakMap<readonly string[], readonly CoveredFile[]>()

/** `project` is the crib's root. */
export function coveredFiles(tool: Tool, project: string): readonly CoveredFile[] {
  const parts = partsOf(tool)
  const files = parts.files?.(tool, project) ?? readFrom(tool)
  let covered = known.get(files)
  if (!covered) {
    const own = readFrom(tool)
    const home = parts.home?.(tool)
    const escapes = (file: string) =>
      home !== undefined && !own.includes(file) && leavesBy(file, [home, project])
    covered = [...new Set([...own, ...files])].map((file) => ({
      file,
      isShipped: isInside(file, systemSpace()),
      escapes: escapes(file),
    }))
    if (files.every((file) => own.includes(file))) known.set(files, covered)
  }
  return covered
}

const none: readonly string[] = []

function readFrom({ source }: Tool): readonly string[] {
  return source.files ?? (source.file === null ? none : [source.file])
}

/** Whether a file stands in one of these folders, the innermost first, and really lies elsewhere. */
function leavesBy(file: string, folders: readonly string[]): boolean {
  const folder = folders.find((each) => isInside(file, each))
  return folder !== undefined && !isReallyInside(file, folder)
}
