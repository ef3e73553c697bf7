// Ranked search (BM25) over names, descriptions, tags and parameter descriptions. Built on first use.
import type { Tool } from '../tool/tool.ts'
import { WordIndex } from './word-index.ts'

export interface SearchHit {
  readonly tool: Tool
  readonly score: number
}

/** Name, title, description, tags, parameters. */
const boosts = [4, 3, 1, 2, 1]

export class Search {
  readonly #index: WordIndex
  readonly #tools: readonly Tool[]

  constructor(tools: readonly Tool[]) {
    this.#tools = tools
    const fields = (tool: Tool): string[] => [
      `${tool.id} ${tool.name}`,
      tool.title ?? '',
      tool.description,
      tool.tags.join(' '),
      paramWords(tool.params),
    ]
    this.#index = new WordIndex(
      tools.map((tool) => fields(tool).map(tokenize)),
      boosts,
    )
  }

  /** Best first; words may be beginnings or slightly misspelt. */
  find(query: string, limit = 20): SearchHit[] {
    return this.#index
      .find(tokenize(query), limit)
      .map(({ document, score }) => ({ tool: this.#tools[document]!, score }))
  }
}

/** Words: parted at anything but letters and digits, and at camelCase humps. */
function tokenize(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 0)
}

function paramWords(schema: Tool['params']): string {
  const properties = schema?.['properties']
  if (typeof properties !== 'object' || properties === null) return ''
  return Object.entries(properties)
    .map(([name, property]) => `${name} ${(property as { description?: unknown } | null)?.description ?? ''}`)
    .join(' ')
}
