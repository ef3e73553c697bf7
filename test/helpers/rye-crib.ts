// A crib of rye files in a temporary folder, read by the format alone: walk, units, parse, link.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defaultConfig } from '../../src/config/config.ts'
import { spacesOf, systemSpace } from '../../src/config/spaces.ts'
import type { FileEntry, Parsed, ScannedFolder, SourceFile } from '../../src/formats/format.ts'
import { rye } from '../../src/formats/rye/index.ts'
import { sha256 } from '../../src/tool/json.ts'
import type { Problem } from '../../src/tool/problem.ts'
import type { Tier, Tool } from '../../src/tool/tool.ts'

const made: string[] = []

/** Removes every folder that was made; call it in `afterAll`. */
export function removeCribs(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
}

/** Writes files (paths relative to the crib's root, or under `user/` for the user's tier) and returns the root. */
export function writeCrib(files: { readonly [path: string]: string }): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-rye-')))
  made.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

export interface ReadCrib {
  readonly tools: readonly Tool[]
  readonly problems: readonly Problem[]
  /** The tool of an id that counts. */
  tool(id: string): Tool
  /** Every problem of a file, by the end of its path. */
  problemsOf(path: string): Problem[]
  codesOf(path: string): string[]
}

/** Reads the tiers of a crib made by `writeCrib`: `.ai` is the project's, `user/.ai` the user's. */
export function readCrib(root: string): ReadCrib {
  const env = { config: defaultConfig, spaces: spacesOf(root) }
  const places = [
    placeOf(root, 'project', 0, '.ai/'),
    placeOf(join(root, 'user', '.ai'), 'user', 1, ''),
    placeOf(systemSpace(), 'system', 2, ''),
  ]
  const parsed: Parsed[] = places.flatMap((place) =>
    rye.units(place, env).map((unit) => rye.parse(unit, (entry) => readEntry(place, entry), env)),
  )
  const linked = rye.link!(
    parsed.flatMap((part) => part.tools),
    env,
    [],
  )
  const problems = [
    ...parsed.flatMap((part) => part.problems),
    ...linked.problems,
    ...linked.tools.flatMap((tool) => tool.problems),
  ]
  const problemsOf = (path: string): Problem[] => problems.filter((problem) => problem.file?.endsWith(path))
  return {
    tools: linked.tools,
    problems,
    tool: (id) => {
      const found = linked.tools.find((tool) => tool.id === id && tool.state !== 'shadowed')
      if (!found)
        throw new Error(`no tool ${id}; there are ${linked.tools.map((tool) => tool.id).join(', ')}`)
      return found
    },
    problemsOf,
    codesOf: (path) => problemsOf(path).map((problem) => problem.code),
  }
}

/** A crib of one file under `.ai/tools/`. */
export function readOne(path: string, text: string): ReadCrib {
  return readCrib(writeCrib({ [`.ai/tools/${path}`]: text }))
}

function readEntry(place: ScannedFolder, entry: FileEntry): SourceFile {
  const file = join(place.dir, entry.path)
  const bytes = readFileSync(file)
  return { file, path: entry.path, text: bytes.toString('utf8'), digest: sha256(bytes) }
}

function placeOf(dir: string, tier: Tier, order: number, ai: string): ScannedFolder {
  let paths: string[] = []
  try {
    paths = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  } catch {
    // a tier that does not exist
  }
  const files = paths.sort().flatMap((path) => {
    const stat = statSync(join(dir, path), { throwIfNoEntry: false })
    if (!stat?.isFile()) return []
    const real = realpathSync(join(dir, path))
    return [
      {
        path,
        size: stat.size,
        mtimeMs: stat.mtimeMs,
        ...(real === join(realpathSync(dir), path) ? {} : { realPath: real }),
      },
    ]
  })
  return { dir, tier, order, kind: ai ? 'crib' : 'ai', ai, files }
}
