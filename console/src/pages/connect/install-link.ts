// Links that open a client and put the server in: Cursor and VS Code have them.

/** Undefined where the client has no such link. `block` is what would be pasted. */
export function installLink(client: string, block: string): string | undefined {
  if (client !== 'cursor' && client !== 'vscode') return undefined
  const entry = entryIn(block)
  if (!entry) return undefined
  return client === 'cursor'
    ? `cursor://anysphere.cursor-deeplink/mcp/install?name=toolcrib&config=${encodeURIComponent(base64(JSON.stringify(entry)))}`
    : `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'toolcrib', ...entry }))}`
}

function entryIn(block: string): object | undefined {
  try {
    const content = JSON.parse(block) as { mcpServers?: Servers; servers?: Servers }
    return (content.mcpServers ?? content.servers)?.['toolcrib']
  } catch {
    return undefined
  }
}

type Servers = { readonly [name: string]: object }

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
