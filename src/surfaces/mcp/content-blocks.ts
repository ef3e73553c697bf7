// Results that are MCP content: a tool of any format may return `{ content: [blocks] }` to give pictures, sound
// or resources, and it is passed on as what it is. A block that is not whole makes it an ordinary value.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { isPlainObject } from '../../tool/json.ts'

type Block = CallToolResult['content'][number]

const isText = (value: unknown): value is string => typeof value === 'string'

const shapes: { readonly [type: string]: (block: Record<string, unknown>) => boolean } = {
  text: ({ text }) => isText(text),
  image: ({ data, mimeType }) => isText(data) && isText(mimeType),
  audio: ({ data, mimeType }) => isText(data) && isText(mimeType),
  resource_link: ({ uri, name }) => isText(uri) && isText(name),
  resource: ({ resource }) =>
    isPlainObject(resource) &&
    isText(resource['uri']) &&
    (isText(resource['text']) || isText(resource['blob'])),
}

/** The blocks of a value that consists of them; undefined for every other value. */
export function contentBlocks(value: unknown): Block[] | undefined {
  if (!isPlainObject(value) || Object.keys(value).length !== 1 || !Array.isArray(value['content']))
    return undefined
  const blocks: unknown[] = value['content']
  return blocks.length > 0 && blocks.every(isBlock) ? (blocks as Block[]) : undefined
}

function isBlock(block: unknown): boolean {
  if (!isPlainObject(block) || typeof block['type'] !== 'string') return false
  return Object.hasOwn(shapes, block['type']) && shapes[block['type']]!(block)
}
