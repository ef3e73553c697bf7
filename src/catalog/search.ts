// Ranked search (BM25) over names, descriptions, tags and parameter descriptions. Built on first use.
import MiniSearch from 'minisearch'
import type { Tool } from '../tool/tool.ts'

export interface SearchHit {
  readonly tool: Tool
  readonly score: number
}

export class Search {
  readonly #index: MiniSearch
  readonly #tools: readonly Tool[]

  constructor(tools: readonly Tool[]) {
    this.#tools = tools
    this.#index = new MiniSearch({
      fields: ['name', 'title', 'description', 'tags', 'params'],
      idField: 'n',
      tokenize,
    })
    this.#index.addAll(
      tools.map((tool, n) => ({
        n,
        name: `${tool.id} ${tool.name}`,
        title: tool.title ?? '',
        description: tool.description,
        tags: tool.tags.join(' '),
        params: paramWords(tool.params),
      })),
    )
  }

  /** Best first; words may be beginnings or slightly misspelt. */
  find(query: string, limit = 20): SearchHit[] {
    return this.#index
      .search(query, {
        prefix: (term) => term.length >= 3,
        fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
        boost: { name: 4, title: 3, tags: 2 },
        tokenize,
      })
      .slice(0, limit)
      .map((hit) => ({ tool: this.#tools[hit.id as number]!, score: hit.score }))
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
