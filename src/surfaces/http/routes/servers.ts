// MCP servers from the console: added after a try (V16), reconnected, their logs read (V9). What starts a program that
// nobody accepted yet, or writes .mcp.json, exists only under `serve --edit` (V18).
import { sha256 } from '../../../tool/json.ts'
import { named, type Static, t } from '../../../tool/shape.ts'
import type { FoundServer } from '../../clients/read-servers.ts'
import { pastedServers } from '../../servers/pasted-servers.ts'
import { entriesEdit, takeInServers } from '../../servers/take-in-servers.ts'
import { triedServerShape } from '../../servers/tried-server-shape.ts'
import { tryServers } from '../../servers/try-servers.ts'
import { recordAllowed } from '../../trust/save-settings.ts'
import { admin } from '../access.ts'
import { HttpProblem } from '../problem-json.ts'
import { checkedBody, json, type Route, route } from '../route.ts'

const pasted = {
  text: t.text({
    minLength: 1,
    maxLength: 100_000,
    description: 'An address, a command in one line, or a block of `mcpServers`.',
  }),
  name: t.optional(
    t.text({ minLength: 1, maxLength: 64, description: 'What a command or an address is called.' }),
  ),
}

const pasteBody = named('PastedServers', t.closed(pasted))

const addBody = named(
  'ServersToAdd',
  t.closed({
    ...pasted,
    chosen: t.optional(
      t.map(t.list(t.text({ maxLength: 200 }), { maxItems: 2_000 }), {
        description: 'By server: its own names of the tools to take in. Absent: all servers and all tools.',
      }),
    ),
    digest: t.text({ description: 'Of .mcp.json as it was seen, from the preview.' }),
  }),
)

const previewShape = t.object({
  servers: t.list(t.text()),
  file: t.text(),
  before: t.text(),
  after: t.text(),
  digest: t.text(),
})

const path = '/api/servers/:name'
const params = { name: 'The MCP server, by its name in .mcp.json or mcp.servers.' }

export const serverRoutes: readonly Route[] = [
  route({
    id: 'previewServers',
    method: 'post',
    path: '/api/servers/preview',
    summary: 'What adding MCP servers would make of .mcp.json; starts and writes nothing',
    access: admin('add servers'),
    body: checkedBody(pasteBody, true),
    answers: { 200: json('Before and after', previewShape) },
    async handle({ body }, { crib }) {
      const servers = serversIn(await body())
      return { servers: servers.map(({ name }) => name), ...editOf(crib.root, servers) }
    },
  }),
  route({
    id: 'tryServers',
    method: 'post',
    path: '/api/servers/test',
    summary: 'Starts MCP servers in the fence and lists their tools; only under `serve --edit`',
    description:
      'A package is installed into the state folder, without install scripts. No other file changes.',
    access: admin('try servers'),
    body: checkedBody(pasteBody, true),
    answers: { 200: json('What each offers', t.object({ servers: t.list(triedServerShape) })) },
    isServed: ({ canEdit }) => canEdit,
    async handle({ body, principal, request: { signal } }, { crib }) {
      const servers = serversIn(await body())
      editOf(crib.root, servers)
      recordAllowed(crib, principal, {
        tool: servers.map(({ name }) => `mcp/${name}`).join(' '),
        reason: 'MCP servers tried from the console',
      })
      return { servers: await tryServers(crib, servers, { allowsScripts: false, signal }) }
    },
  }),
  route({
    id: 'addServers',
    method: 'post',
    path: '/api/servers',
    summary: 'Adds MCP servers: writes .mcp.json, accepts and pins their tools; only under `serve --edit`',
    access: admin('add servers'),
    body: checkedBody(addBody, true),
    answers: {
      200: json(
        'What was added',
        t.object({
          files: t.list(t.text()),
          tools: t.list(t.text()),
          notes: t.list(t.text()),
          failure: t.optional(t.text({ description: 'The code of what went wrong first.' })),
        }),
      ),
    },
    isServed: ({ canEdit }) => canEdit,
    async handle({ body: read, principal, request: { signal } }, { crib }) {
      const body = await read()
      const servers = chosenServers(body)
      if (body.digest !== editOf(crib.root, servers).digest)
        throw new HttpProblem('CONFLICT', '.mcp.json changed since it was shown.', {
          hint: 'Look at it again, then add.',
        })
      const order = { allowsScripts: false, replaces: false, signal }
      const { files, tools, notes, failure } = await takeInServers(crib, servers, order)
      recordAllowed(crib, principal, {
        tool: servers.map(({ name }) => `mcp/${name}`).join(' '),
        reason: '.mcp.json changed in the console: MCP servers added',
      })
      return { files: [...files], tools: [...tools], notes: [...notes], failure }
    },
  }),
  route({
    id: 'reconnectServer',
    method: 'post',
    path: `${path}/reconnect`,
    summary: 'Ends what is open to an MCP server and asks it again for its tools',
    access: admin('reconnect servers'),
    params,
    answers: {
      200: json(
        'How it is now',
        t.object({ server: t.text(), problem: t.optional(t.text({ description: 'Why it says nothing.' })) }),
      ),
    },
    async handle({ params: { name } }, { crib }) {
      await crib.foreign.reconnect(name)
      return { server: name, problem: crib.foreign.problemOf(name)?.message }
    },
  }),
  route({
    id: 'serverLog',
    method: 'get',
    path: `${path}/log`,
    summary: 'What an MCP server wrote lately, and when it came and went',
    access: admin('read the logs of servers'),
    params,
    isPrivate: true,
    answers: {
      200: json(
        'Oldest first',
        t.object({
          lines: t.list(
            t.object({
              at: t.time(),
              by: t.oneOf(['crib', 'server'], {
                description: '`server`: its own words, which nobody checks.',
              }),
              text: t.text(),
            }),
          ),
        }),
      ),
    },
    handle: async ({ params: { name } }, { crib }) => ({ lines: [...(await crib.foreign.logOf(name))] }),
  }),
]

function serversIn({ text, name }: Static<typeof pasteBody>): FoundServer[] {
  return pastedServers(text, name)
}

/** Those that were chosen, each with the tools that were. */
function chosenServers({ text, name, chosen }: Static<typeof addBody>): FoundServer[] {
  const servers = pastedServers(text, name)
  if (!chosen) return servers
  const kept = servers.filter((server) => (chosen[server.name]?.length ?? 0) > 0)
  if (kept.length === 0) throw new HttpProblem('BODY_INVALID', 'No tool was chosen.')
  return kept.map((server) => ({
    ...server,
    entry: { ...server.entry, includeTools: [...chosen[server.name]!] },
  }))
}

/** The digest is of the file as it is: the entry may still get a choice of tools. */
function editOf(root: string, servers: readonly FoundServer[]) {
  const edit = entriesEdit(root, servers, false)
  return { ...edit, digest: sha256(edit.before) }
}
