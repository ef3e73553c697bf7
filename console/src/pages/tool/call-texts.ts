// The same call in other words: for a shell, for curl, for an MCP client, for a program.
import type { Tool } from '../../api/types.ts'

export const callTexts: readonly {
  readonly key: string
  readonly label: string
  text(tool: Tool, params: unknown, origin: string): string
}[] = [
  {
    key: 'cli',
    label: 'Command line',
    text: (tool, params) =>
      `toolcrib run ${quoted(tool.id)} --params ${quoted(JSON.stringify(params ?? {}))}`,
  },
  {
    key: 'curl',
    label: 'curl',
    // The token is left out on purpose: a copied text travels.
    text: (tool, params, origin) =>
      [
        `curl -sS ${quoted(`${origin}/api/tools/${tool.id.split('/').map(encodeURIComponent).join('/')}/call`)}`,
        '  -H "Authorization: Bearer $TOOLCRIB_TOKEN"',
        "  -H 'Content-Type: application/json'",
        `  -d ${quoted(JSON.stringify({ params: params ?? {} }))}`,
      ].join(' \\\n'),
  },
  {
    key: 'mcp',
    label: 'MCP call',
    text: (tool, params) =>
      JSON.stringify(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: params ?? {} } },
        null,
        2,
      ),
  },
  {
    key: 'typescript',
    label: 'TypeScript',
    text: (tool, params) =>
      [
        "import { openCrib } from 'toolcrib'",
        '',
        "await using crib = await openCrib({ root: '.' })",
        `const outcome = await crib.call(${JSON.stringify(tool.id)}, ${JSON.stringify(params ?? {}, null, 2)})`,
        'if (outcome.ok) console.log(outcome.value)',
        'else console.error(outcome.error.message)',
      ].join('\n'),
  },
]

/** A word of a shell, in single quotes unless it needs none. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
