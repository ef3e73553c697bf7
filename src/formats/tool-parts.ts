// What a tool is made of, as its format says: files, programs, the folder they stay in. Light, because lock and
// signatures ask before any parser is loaded.
import type { Tool } from '../tool/tool.ts'
import type { InlineCode } from './inline-code.ts'
import { mcpParts } from './mcp/parts.ts'
import { openapiParts } from './openapi/parts.ts'
import { ryeParts } from './rye/parts.ts'
import { toolCodeParts } from './tool-code/parts.ts'
import { toolsJsonParts } from './tools-json/parts.ts'

/** Where a tool's files are all there is: nothing else may be imported from there. */
export interface Enclosure {
  readonly folder: string
  /** Names of folders below it that hold code of others. */
  readonly open: readonly string[]
}

/** A folder in which a tool keeps something. */
export interface Kept {
  readonly what: string
  readonly folder: string
}

export interface ToolParts {
  /**
   * Every file of a tool, absolute, with what its code takes in: lock, signature, seal and protection cover them.
   * `project` is the crib's root. Default: the files it was read from.
   */
  files?(tool: Tool, project: string): readonly string[]
  /** The folder that none of its files may leave by a symbolic link. */
  home?(tool: Tool): string | undefined
  enclosure?(tool: Tool, project: string): Enclosure | null
  /** Names or paths of the programs its definition starts, for the lock. */
  programs?(tool: Tool): readonly string[]
  /** The hosts its definition names, with their ports: all it needs of the network. Empty where that is not known. */
  hosts?(tool: Tool): readonly string[]
  /** Code that its definition holds. */
  inline?(tool: Tool): readonly InlineCode[]
  /** Where it keeps what it remembers from one start to the next, below the state folder of the crib. */
  keeps?(tool: Tool, state: string): readonly Kept[]
}

/** Of the formats whose tools are more than the files they were read from; a test holds it to the registry. */
const shipped: { readonly [format: string]: ToolParts } = {
  rye: ryeParts,
  'tools-json': toolsJsonParts,
  'tool-code': toolCodeParts,
  mcp: mcpParts,
  openapi: openapiParts,
}
/** The format of a plugin answers when a tool is read; what it said stands in the tool. */
const plugins: ToolParts = { programs: (tool) => tool.details?.programs ?? [] }

/** Who answers for the parts of this tool. */
export function partsOf(tool: Tool): ToolParts {
  return shipped[tool.format] ?? plugins
}
