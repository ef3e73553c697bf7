// The seam every format plugs into. A format turns files into tools and problems, statically: it runs
// nothing, imports nothing, and reads only through the reader it is given.
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import type { Problem, Severity } from '../tool/problem.ts'
import type { FormatName, JsonSchema, Tier, Tool } from '../tool/tool.ts'
import type { ToolError } from '../tool/tool-error.ts'
import type { PortableForm } from './portable.ts'
import type { Files, Starter } from './starter.ts'
import type { ToolParts } from './tool-parts.ts'

/** A file as the walk saw it, not yet read. */
export interface FileEntry {
  /** Path under the scanned folder, `/` as separator. */
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** Real path, when a symbolic link was followed to get here. */
  readonly realPath?: string
}

/** One scanned folder. A crib has one per root, one for the user, one for the system, one per extra skill folder. */
export interface ScannedFolder {
  /** Absolute path of the scanned folder. */
  readonly dir: string
  readonly tier: Tier
  /** Position among the scanned folders: earlier wins inside a tier. */
  readonly order: number
  /** `crib`: a project root; `ai`: a folder laid out like `.ai`; `skills`: a folder of skills. */
  readonly kind: 'crib' | 'ai' | 'skills'
  /** Prefix of the paths that lie in the `.ai` folder: `.ai/` in a project root, empty in an `.ai` folder. */
  readonly ai: string
  /** All files, sorted by path in code-unit order. */
  readonly files: readonly FileEntry[]
}

/** The files one parse needs, the defining one first. Cached by the sizes, times and digests of all of them. */
export interface Unit {
  readonly format: FormatName
  readonly scanned: ScannedFolder
  readonly files: readonly FileEntry[]
  /** False: the file may well be something else, so being unreadable, binary or huge is no problem. */
  readonly isCertain: boolean
  /** True: `parse` is asked even when a file cannot be read, and says so in the format's own words. */
  readonly reportsUnreadable?: true
  /** What the format noticed while grouping; must be JSON, is part of the cache key. */
  readonly note?: string
}

/** A file that was read, within the size cap and as valid UTF-8. */
export interface SourceFile {
  /** Absolute path. */
  readonly file: string
  /** Path under the scanned folder. */
  readonly path: string
  readonly text: string
  /** SHA-256 of the bytes. */
  readonly digest: string
}

export interface FormatEnv {
  readonly config: Config
  readonly spaces: Spaces
}

/** Reads one of the unit's own files; throws a problem the catalog reports when it cannot. */
export type Read = (entry: FileEntry) => SourceFile

export interface Parsed {
  readonly tools: readonly Tool[]
  /** Problems that belong to no tool. */
  readonly problems: readonly Problem[]
  /** What `link` must know of a unit beyond its tools (a skill that has none); cached with them. */
  readonly facts?: readonly JsonObject[]
  /** Tools of units that others hide, each with the tools of the unit that does: it must not be less vouched (G8). */
  readonly hidden?: readonly HiddenTool[]
}

export interface HiddenTool {
  readonly tool: Tool
  readonly behind: readonly Tool[]
}

/** Where a format looks for definitions: paths that may not exist yet, and names that count wherever they are. */
export interface LookedIn {
  /** Absolute files and folders, folders with all below. */
  readonly paths: readonly string[]
  /** Matches the path of a file that would be read as a definition. */
  readonly names?: RegExp
}

/** What the kernel must know about calls of a format, without knowing the format. */
export interface Traits {
  /** Fill schema defaults into a copy of the params (skills get the caller's object untouched). */
  readonly fillDefaults: boolean
  /** What of a tool's schema arguments and results are checked against; default: all of it. */
  judgedSchema?(schema: JsonSchema): JsonSchema
  /** Schemas are made by the format itself and looked through when they are made, so that `check` compiles none. */
  readonly hasSoundSchemas?: boolean
  /** Parts of a result that may satisfy `returns`, best first; the first violations are reported. */
  returnCandidates?(value: unknown, tool: Tool): readonly unknown[]
  /** The code of a refused call of a tool that is switched off; default TOOL_NOT_ALLOWED. */
  readonly disabledCode?: 'TOOL_DENIED'
  /** Top-level `$` keys are options of calls between tools; from outside they are refused. */
  readonly refusesDollarKeys?: boolean
  /** Turns what a caller gave into params before validation (tools-json: strings are parsed, nulls dropped). */
  normaliseArgs?(args: unknown, tool: Tool): unknown
  /**
   * Adds to validated params what the format injects itself (rye: `resolved_config`); gives back the params the
   * runtime gets. Throws a ToolError when that cannot be done.
   */
  finishParams?(tool: Tool, params: unknown, env: FormatEnv, verify: VerifyFile): unknown
  /** Its tools call others only with a grant that names them, so which they call is remembered. */
  readonly callsNeedGrant?: boolean
  /** The runtime counts a tool's time itself, from the moment it begins: waiting in line and loading are not its time. */
  readonly runtimeKeepsTime?: boolean
  /** Time limit of a call that sets none itself, where it is more than `tool.limits.timeoutMs` (rye: config files). */
  timeoutMs?(tool: Tool, env: FormatEnv, verify: VerifyFile): number | undefined
}

/** Judges a file before its content is used at a call; throws a TRUST_ error when it must not be used. */
export type VerifyFile = (file: string, bytes: Uint8Array) => void

export interface Format extends ToolParts {
  readonly name: FormatName
  /** Of two tools with one id in the same scanned folder, that of the lower rank wins. */
  readonly rank: number
  /** What calls of its tools need to know; default: schema defaults are filled in. */
  readonly traits?: Traits
  /** Severity of a problem under `--strict`; default: a warning becomes an error. */
  strictSeverity?(problem: Problem): Severity
  /** Endings of its files, such as `.letter`, where they are none of .py .yaml .yml .json .js .mjs .cjs .ts .sh .toml .md. */
  readonly endings?: readonly string[]
  /** Its tools are found anywhere below a folder, so `toolcrib add <folder>` takes them in with it. */
  readonly comesInFolders?: boolean
  /** Groups the files of a scanned folder into units by their paths alone. */
  units(scanned: ScannedFolder, env: FormatEnv): Unit[]
  /** Reads one unit. Deterministic: the same bytes give the same tools. */
  parse(unit: Unit, read: Read, env: FormatEnv): Parsed
  /**
   * Completes the tools of this format with what only all of them together tell: executor chains, duplicate
   * names, authorities. Gets tools and facts of all units in precedence order; returns the tools, changed or
   * not, without those of a unit that another one hides, plus new problems and the facts worth keeping.
   */
  link?(tools: readonly Tool[], env: FormatEnv, facts: readonly JsonObject[]): Parsed
  /** Where it looks for definitions and what it reads with them, whether or not it is there: not for tools to make (G6). */
  looksIn?(env: FormatEnv): LookedIn
  /** Files for `toolcrib new`, by path under the crib; `language` is one of its starter's. */
  template?(id: string, language?: string): Files
  /** What `new` must know beside them; without it the tool has one language and the id that was asked for. */
  readonly starter?: Starter
  /** How its tools are converted to other formats, and those of others to this one. */
  readonly portable?: PortableForm
  /** What `show` adds about one of its tools. */
  details?(tool: Tool): Json
  /** Why `format:id` leads to no tool, when the format knows more than "not found". Gets the facts `link` kept. */
  whyMissing?(id: string, facts: readonly JsonObject[]): ToolError | undefined
}
