// Does this file count, or did a tool write it (G7)? What would be read as a definition, a module or a setting and was
// written by a tool counts for nothing until a person accepts it. It is known by path and content: what somebody else
// put there since is not what the tool wrote.
import { readlinkSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { FileDigests } from '../files/file-digests.ts'
import { isInside, pathWithin } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { sha256 } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { SetAsideRecords, type WriteRecord } from './set-aside-records.ts'
import { filesOf } from './tool-files.ts'

/** Something that a tool puts in place. */
export interface WrittenEntry {
  /** Absolute and real. */
  readonly path: string
  /** SHA-256 of a file's bytes, or `link` and where it leads. */
  readonly content: string
}

/** Something that is set aside, as it is now. */
export interface Aside {
  readonly record: WriteRecord
  readonly content: string
}

/** Of a folder that runtimes load modules from all counts, or nothing. */
const moduleFolders: { readonly [ending: string]: readonly string[] } = {
  '.py': ['.venv', 'venv'],
  ...Object.fromEntries(['.js', '.mjs', '.cjs', '.ts'].map((ending) => [ending, ['node_modules']])),
}
const moduleNames = new Set(Object.values(moduleFolders).flat())
const wholeFolder = '*'

export class SetAside {
  readonly #records: SetAsideRecords
  readonly #project: string
  readonly #digests = new FileDigests()

  /** `folder`: where the records are; `project`: the crib's root. */
  constructor(folder: string, project: string) {
    this.#records = new SetAsideRecords(folder)
    this.#project = nearestRealPath(project)
  }

  /** Records what a run of a tool is about to put in place. */
  note(entries: readonly WrittenEntry[], { tool, run }: Pick<WriteRecord, 'tool' | 'run'>): void {
    const at = new Date().toISOString()
    for (const { path, content } of entries) {
      const folder = moduleFolderOf(path)
      const record = { path: this.#name(folder ?? path), tool, run, at }
      if (folder === undefined) this.#records.add(record, content, false)
      else this.#records.add(record, wholeFolder, true)
    }
  }

  /** True while every file counts. */
  get isEmpty(): boolean {
    return this.#records.isEmpty
  }

  /** Changes when something is set aside or accepted. */
  get stamp(): string {
    return sha256(this.#records.open.join())
  }

  /** Who wrote a file as it is now, or the bytes of this digest; undefined when it counts. */
  ofFile(file: string, digest?: string): WriteRecord | undefined {
    return this.#find(file, digest)?.record
  }

  /** What a tool wrote of this tool: its files, and the modules they would load. */
  ofTool(tool: Tool): WriteRecord | undefined {
    return this.#records.isEmpty ? undefined : this.allOfTool(tool)[0]?.record
  }

  /** Everything of a tool that is set aside. */
  allOfTool(tool: Tool): Aside[] {
    return this.isEmpty || tool.tier === 'system' ? [] : this.allOf(this.#partsOf(tool))
  }

  /** What of these files is set aside. */
  allOf(files: readonly string[]): Aside[] {
    const found = files.flatMap((file) => this.#find(file) ?? [])
    return [...new Map(found.map((one) => [one.record.path, one])).values()]
  }

  /** The tools, with those taken out of service that are made of something set aside. */
  mark(tools: readonly Tool[]): readonly Tool[] {
    if (this.isEmpty) return tools
    return tools.map((tool) => {
      const record = isSetAside(tool) ? undefined : this.ofTool(tool)
      return record ? withSetAside(tool, record) : tool
    })
  }

  /** Refuses bytes that are about to be used. */
  verifyBytes(file: string, bytes: Uint8Array): void {
    const record = this.isEmpty ? undefined : this.ofFile(file, sha256(bytes))
    if (record) throw setAsideError(file, record)
  }

  /** A person accepts exactly this: what was written there since stays set aside. */
  accept(found: readonly Aside[]): void {
    for (const { record, content } of found) this.#records.accept(record.path, content)
  }

  /** Its files, and the folders of modules on the way up from each. */
  #partsOf(tool: Tool): string[] {
    const files = [...(tool.source.file === null ? [] : [tool.source.file]), ...filesOf(tool, this.#project)]
    const parts = new Set(files)
    for (const file of files) {
      const names = moduleFolders[extname(file)] ?? []
      if (names.length === 0) continue
      for (let at = dirname(nearestRealPath(file)); isInside(at, this.#project); at = dirname(at))
        for (const name of names) parts.add(join(at, name))
    }
    return [...parts]
  }

  #find(file: string, digest?: string): Aside | undefined {
    if (this.isEmpty) return undefined
    const real = nearestRealPath(file)
    const folder = moduleFolderOf(real)
    if (folder !== undefined) return this.#matching(folder, () => wholeFolder)
    return this.#matching(real, () => digest ?? this.#digests.of(real)) ?? this.#linkOnTheWay(file, real)
  }

  /** A link that a tool made may lead to what somebody else wrote for another purpose. */
  #linkOnTheWay(file: string, real: string): Aside | undefined {
    if (file === real) return undefined
    for (let at = file; at !== dirname(at); at = dirname(at)) {
      const path = join(nearestRealPath(dirname(at)), basename(at))
      const found = this.#matching(path, () => linkContent(path))
      if (found) return found
    }
    return undefined
  }

  #matching(path: string, contentOf: () => string | null): Aside | undefined {
    const name = this.#name(path)
    if (!this.#records.mentions(name)) return undefined
    const content = contentOf()
    const record = content === null ? undefined : this.#records.find(name, content)
    return record && { record, content: content! }
  }

  #name(path: string): string {
    return pathWithin(path, this.#project) ?? path
  }
}

/** How a link is known. */
export function linkTo(target: string): string {
  return `link ${target}`
}

function linkContent(path: string): string | null {
  try {
    return linkTo(readlinkSync(path))
  } catch {
    return null
  }
}

/** The outermost folder of modules that a path is, or lies in. */
function moduleFolderOf(path: string): string | undefined {
  const parts = path.split('/')
  const index = parts.findIndex((part) => moduleNames.has(part))
  return index < 0 ? undefined : parts.slice(0, index + 1).join('/')
}

/** True for a tool that counts for nothing until a person accepts it. */
export function isSetAside({ problems }: Tool): boolean {
  return problems.some(({ code }) => code === 'set-aside')
}

/** The tool, listed as unavailable with who wrote it. */
export function withSetAside(tool: Tool, record: WriteRecord): Tool {
  const problem = setAsideProblem(record, tool)
  return { ...tool, state: 'unavailable', reason: writtenBy(record), problems: [...tool.problems, problem] }
}

/** What is said of a file, or of the tool that is made of it. */
export function setAsideProblem(record: WriteRecord, tool?: Tool): Problem {
  return {
    code: 'set-aside',
    severity: 'error',
    message: `${record.path} was ${writtenBy(record)}, so it counts for nothing.`,
    hint: `Read it, then accept it with \`toolcrib approve ${tool?.id ?? record.path}\`, or delete it.`,
    file: tool?.source.file ?? record.path,
    line: 1,
    toolId: tool?.id,
  }
}

export function setAsideError(what: string, record: WriteRecord): ToolError {
  return new ToolError('TRUST_UNTRUSTED', `${what} is set aside: ${record.path} was ${writtenBy(record)}.`, {
    hint: `Read it, then accept it with \`toolcrib approve ${record.path}\`.`,
    details: { ...record },
  })
}

function writtenBy({ tool, run }: WriteRecord): string {
  return `written by ${tool} in run ${run}`
}
