// A tool of an MCP server as two rye files: the server, and the tool with its schema, which can be signed and reviewed.

import type { Example } from '../../tool/tool.ts'
import type { Body, Converted, Portable } from '../portable.ts'
import { dashed, examplesFile, modeline, snaked } from '../write-words.ts'
import { yamlText } from '../yaml-text.ts'

type ServerTool = Extract<Body, { kind: 'mcp' }>

export function ryeServerTool(tool: Portable, { server, tool: name }: ServerTool): Converted {
  const { transport, command, args, env, cwd, url, headers } = server
  const serverId = `mcp/servers/${snaked(server.name)}`
  const id = `mcp/${snaked(server.name)}/${snaked(name)}`
  const write = (path: string, document: object) => ({
    [`${path}.yaml`]: `${modeline(path, 'rye')}${yamlText(document)}`,
  })
  return {
    files: {
      ...write(`.ai/tools/${serverId}`, {
        tool_id: dashed(server.name),
        tool_type: 'mcp_server',
        version: '1.0.0',
        category: 'mcp/servers',
        description: `The MCP server ${server.name}`,
        executor_id: null,
        config: {
          transport,
          ...(transport === 'stdio' ? { command, args: args ?? [], env, cwd } : { url, headers }),
        },
      }),
      ...write(`.ai/tools/${id}`, {
        tool_id: dashed(name),
        tool_type: 'mcp',
        version: tool.version ?? '1.0.0',
        category: `mcp/${snaked(server.name)}`,
        description: tool.description,
        executor_id: `rye/core/runtimes/mcp/${transport}`,
        requires: tool.requires ?? undefined,
        timeout: tool.timeoutMs === undefined ? undefined : tool.timeoutMs / 1000,
        config: { server: serverId, tool_name: name },
        input_schema: tool.params ?? undefined,
        output_schema: tool.returns ?? undefined,
      }),
      ...examplesFile(`.ai/tools/${id}.examples.yaml`, id, tool.examples.map(asServerExample), false),
    },
    lost: [
      { field: 'id', message: `${tool.id} becomes ${id}.` },
      {
        field: 'result',
        message: 'rye puts the result in an object: structured content under data, text under output.',
      },
      {
        field: 'updates',
        message: 'The schemas are those of today; what the server changes later is not taken over.',
      },
    ],
  }
}

function asServerExample({ expect, ...example }: Example): Example {
  if (expect === undefined) return example
  const part = typeof expect === 'string' ? { output: expect } : { data: expect }
  return { ...example, expect: { success: true, ...part }, match: 'partial' }
}
