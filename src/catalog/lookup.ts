// From a ref to a tool: exact id, then alias, then model name, then file.
import { isAbsolute, join, resolve } from 'node:path'
import { nearestRealPath } from '../files/real-path.ts'
import { actionTool } from '../tool/action-tool.ts'
import { byCodeUnits } from '../tool/json.ts'
import { formerMcpToolName } from '../tool/mcp-name.ts'
import { nearNames } from '../tool/near-names.ts'
import { looksLikeFile, parseRef, type Ref } from '../tool/ref.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { addressesOf, isOwnScheme } from './addresses.ts'

export class Lookup {
  readonly #byId = new Map<string, Tool>()
  readonly #byFormatId = new Map<string, Tool>()
  readonly #byAlias = new Map<string, Tool[]>()
  readonly #byName = new Map<string, Tool>()
  readonly #byFile = new Map<string, Tool[]>()
  readonly #byAddress: ReadonlyMap<string, Tool>
  readonly #root: string

  /** `tools` in precedence order. */
  constructor(tools: readonly Tool[], root: string) {
    this.#root = root
    this.#byAddress = addressesOf(tools)
    for (const tool of tools) {
      if (tool.state !== 'shadowed' && !this.#byId.has(tool.id)) this.#byId.set(tool.id, tool)
      setFirst(this.#byFormatId, `${tool.format}:${tool.id}`, tool)
      if (tool.state !== 'shadowed') setFirst(this.#byName, tool.name, tool)
      for (const alias of tool.aliases) {
        push(this.#byAlias, alias, tool)
        setFirst(this.#byFormatId, `${tool.format}:${alias}`, tool)
      }
      if (tool.source.file) push(this.#byFile, tool.source.file, tool)
    }
  }

  /** All ids, aliases and names one could mean. */
  get names(): string[] {
    return [...new Set([...this.#byId.keys(), ...this.#byAlias.keys()])].sort(byCodeUnits)
  }

  /** Tools defined in a file. */
  inFile(file: string): readonly Tool[] {
    return this.#byFile.get(file) ?? []
  }

  /** The tool of exactly this id. */
  exactly(id: string): Tool | undefined {
    return this.#byId.get(id)
  }

  /** The tool of the same id in the same file, or of the same format where it comes from no file. */
  same({ id, format, source }: Tool): Tool | undefined {
    const inFile = this.inFile(source.file ?? '').find((tool) => tool.id === id && tool.format === format)
    return inFile ?? (source.file === null ? this.#byFormatId.get(`${format}:${id}`) : undefined)
  }

  /** The resource of a foreign server that has this address. */
  atAddress(uri: string): Tool | undefined {
    return this.#byAddress.get(uri)
  }

  /** The addresses of all such resources. */
  get addresses(): ReadonlyMap<string, Tool> {
    return this.#byAddress
  }

  /** Finds a tool; throws TOOL_NOT_FOUND with near names. `base` is what relative paths start from. */
  find(given: string, base = this.#root): Tool {
    // An id is a path and may hold what otherwise stands for a format or an action.
    const exact = this.#byId.get(given) ?? (isOwnScheme(given) ? undefined : this.#byAddress.get(given))
    if (exact) return exact
    const ref = parseRef(given)
    const tool = this.#find(ref, given, base)
    return 'action' in ref && ref.action ? actionTool(tool, ref.action) : tool
  }

  #find(ref: Ref, given: string, base: string): Tool {
    switch (ref.kind) {
      case 'format':
        return (
          this.#byFormatId.get(`${ref.format}:${ref.id}`) ??
          // What stands before the colon may be no format.
          this.#named(`${ref.format}:${ref.id}`, given, base)
        )
      case 'mcp':
        return (
          this.#byFormatId.get(`mcp:${ref.server}/${ref.tool}`) ??
          this.#byFormatId.get(`mcp:${formerMcpToolName(ref.server, ref.tool)}`) ??
          this.#notFound(given)
        )
      case 'inline':
        throw new ToolError('REF_INVALID', 'An inline:// reference cannot be called from outside.', {
          hint: 'Inline code belongs into a skill file.',
        })
      case 'file':
        return this.#fromFile(ref.path, base, given)
      case 'name':
        return this.#named(ref.text, given, base)
    }
  }

  #named(text: string, given: string, base: string): Tool {
    return (
      this.#byId.get(text) ??
      this.#fromAlias(text) ??
      this.#byName.get(text) ??
      (looksLikeFile(text) ? this.#fromFile(text, base, given) : this.#notFound(given))
    )
  }

  #fromAlias(alias: string): Tool | undefined {
    const claims = this.#byAlias.get(alias)?.filter((tool) => tool.state !== 'shadowed')
    if (!claims?.length) return undefined
    const best = claims.filter((tool) => tool.tier === claims[0]!.tier)
    if (best.length === 1) return best[0]
    const candidates = best.map((tool) => tool.id)
    throw new ToolError('TOOL_NOT_FOUND', `"${alias}" is claimed by ${candidates.join(' and ')}.`, {
      hint: 'Use one of these ids.',
      details: { candidates },
    })
  }

  #fromFile(path: string, base: string, given: string): Tool {
    const full = isAbsolute(path) ? resolve(path) : resolve(base, path)
    for (const file of [full, join(full, 'SKILL.md'), nearestRealPath(full)]) {
      const tools = this.#byFile.get(file)
      if (tools?.length === 1) return tools[0]!
      if (tools) {
        const candidates = tools.map((tool) => tool.id)
        throw new ToolError('TOOL_NOT_FOUND', `${path} defines several tools: ${candidates.join(', ')}.`, {
          hint: 'Name one of them.',
          details: { candidates },
        })
      }
    }
    return this.#notFound(given)
  }

  #notFound(given: string): never {
    throw notFound(given, this.names)
  }
}

/** TOOL_NOT_FOUND with the names it may have meant. */
export function notFound(given: string, names: Iterable<string>): ToolError {
  const near = nearNames(given, names)
  return new ToolError('TOOL_NOT_FOUND', `There is no tool or skill "${given}" in this crib.`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
        : 'See `toolcrib list --all`, or `toolcrib why` with its file.',
    details: { near },
  })
}

function setFirst<V>(map: Map<string, V>, key: string, value: V): void {
  if (!map.has(key)) map.set(key, value)
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
