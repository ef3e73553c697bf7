// Puts a new MCP server into `.mcp.json` and its example into `.mcp.examples.yaml`, which other servers share.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBelow } from '../../files/write-below.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'

export interface JoinedServer {
  readonly root: string
  readonly name: string
  /** The program of the server, relative to the root. */
  readonly file: string
  /** Where the editor finds the schemas, seen from the root. */
  readonly schemas: string
}

/** Looks whether the server can join; gives back what writes it, and says which files that are. */
export async function joinServer({ root, name, file, schemas }: JoinedServer): Promise<() => string[]> {
  const { parseDocument } = await import('yaml')
  const serversFile = join(root, '.mcp.json')
  const examplesFile = join(root, '.mcp.examples.yaml')
  const content = existsSync(serversFile) ? readServers(serversFile) : { mcpServers: {} }
  if (Object.hasOwn(content.mcpServers, name))
    throw new ToolError('CONFLICT', `${serversFile} has a server "${name}" already.`, {
      hint: 'Choose another id, or remove the entry first.',
    })
  const isNew = !existsSync(examplesFile)
  const head = `# yaml-language-server: $schema=${schemas}/examples.json\n# Run with \`toolcrib test ${name}-count\`.\n`
  const examples = parseDocument(isNew ? `${head}{}\n` : readFileSync(examplesFile, 'utf8'))
  if (examples.errors.length > 0)
    throw new ToolError(
      'TOOL_INVALID',
      `${examplesFile} is not valid YAML: ${examples.errors[0]!.message.split('\n')[0]}`,
      { hint: 'Fix it first.' },
    )
  return () => {
    const mcpServers = { ...content.mcpServers, [name]: { command: 'node', args: [file] } }
    writeBelow(root, '.mcp.json', `${JSON.stringify({ ...content, mcpServers }, null, 2)}\n`)
    if (isNew) examples.contents = examples.createNode({}) as never
    examples.setIn(
      [`${name}-count`],
      examples.createNode([
        { title: 'counts words', params: { text: 'the quick brown fox' }, expect: { words: 4 } },
      ]),
    )
    writeBelow(root, '.mcp.examples.yaml', isNew ? head + examples.toString() : examples.toString())
    return [serversFile, examplesFile]
  }
}

function readServers(file: string): { readonly mcpServers: { readonly [name: string]: unknown } } {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ToolError('TOOL_INVALID', `${file} is not valid JSON: ${(error as Error).message}.`, {
      hint: 'Fix it first; `toolcrib check` shows the line.',
    })
  }
  if (!isPlainObject(content) || !isPlainObject(content['mcpServers'] ?? {}))
    throw new ToolError('TOOL_INVALID', `${file} has no map "mcpServers".`, { hint: 'Fix it first.' })
  return { ...content, mcpServers: (content['mcpServers'] ?? {}) as { readonly [name: string]: unknown } }
}
