// `--expose code`: the model writes JavaScript that calls tools. The code runs in the Deno sandbox, a process of
// its own per run, without network and files; what it reaches are the tools its caller may use, each call an
// ordinary call with all its guards.
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server'
import { isListed } from '../../catalog/catalog.ts'
import { checkSource } from '../../formats/tool-code/check-source.ts'
import { Findings } from '../../formats/tool-code/findings.ts'
import { sha256 } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { noPermissions, type ToolCodePlan } from '../../tool/plans/deno-plan.ts'
import { makeTool, type Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { maySee } from '../http/principals.ts'
import type { ClientRequest } from './client-call.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { type Args, fewTools, requiredText } from './expose-search.ts'
import { logSender } from './send-logs.ts'
import { toolResult } from './tool-result.ts'

const timeoutMs = 120_000
const maxCodeChars = 200_000

/** `names` maps what the client knows a tool by to its id, where its offer renames it. */
function headOf(names: { readonly [name: string]: string }): string {
  const known = `new Map(Object.entries(${JSON.stringify(names)}))`
  return `export async function execute(_input, context) { const tools = ((known) => new Proxy({}, { get: (_, name) => (params = {}) => context.api.callTool(known.get(String(name)) ?? String(name), params) }))(${known});`
}

const runCode: McpTool = {
  name: 'run_code',
  description: [
    'Runs JavaScript that calls tools, and gives back what it returns.',
    'Call a tool with `await tools.NAME(params)`, or `await tools["a-name"](params)`; it gives the result of the tool and throws when the tool fails (error.code says why).',
    'Use search_tools and describe_tool first to learn names and parameters. End with `return value`. console.log is shown too.',
    'The code has no network, no files and no modules besides those of Node.',
    'Example: `const a = await tools.math_add({ a: 1, b: 2 }); return a.sum`',
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: {
      code: { type: 'string', description: 'The body of an async function.', maxLength: maxCodeChars },
    },
    required: ['code'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
}

async function run({ clientCatalog, server, context }: ClientRequest, args: Args): Promise<CallToolResult> {
  const code = requiredText(args, 'code')
  const fault =
    code.length > maxCodeChars ? `"code" is longer than ${maxCodeChars} characters.` : faultIn(code)
  if (fault) throw new ToolError('PARAMS_INVALID', fault)
  const tool = codeTool(clientCatalog, code)
  const onLog = logSender(server, context, tool.id)
  // The principal's list is about the tools the code calls; it binds the code itself as its own.
  const principal = { ...clientCatalog.principal, allowedTools: undefined, offer: undefined }
  const outcome = await clientCatalog.crib.call(
    tool,
    {},
    {
      principal,
      signal: context.mcpReq.signal,
      onLog,
    },
  )
  return withPrinted(toolResult(clientCatalog.crib, tool, outcome), outcome)
}

/** What is wrong with the code before it runs: its syntax, or something it imports. */
function faultIn(code: string): string | undefined {
  const findings = new Findings()
  checkSource(sourceOf(code), 'typescript', [], findings)
  return findings.problems({})[0]?.message
}

/** The head stands on the first line, so that lines of errors are those of the code. */
function sourceOf(code: string, names: { readonly [name: string]: string } = {}): string {
  return `${headOf(names)} ${code}\n}`
}

/** A tool for one run: it may call what its caller sees, and nothing else. */
function codeTool(clientCatalog: ClientCatalog, code: string): Tool {
  const { principal, crib } = clientCatalog
  const callable = crib.catalog.tools.filter((tool) => isListed(tool) && maySee(principal, tool, crib))
  const renamed = Object.fromEntries(
    callable
      .filter((tool) => clientCatalog.nameOf(tool) !== tool.name)
      .map((tool) => [clientCatalog.nameOf(tool), tool.id]),
  )
  const plan: ToolCodePlan = {
    language: 'typescript',
    source: sourceOf(code, renamed),
    permissions: { ...noPermissions, tools: callable.flatMap((tool) => [tool.name, tool.id]) },
    isolation: 'call',
    requiredSecrets: [],
  }
  return makeTool({
    id: 'run_code',
    description: 'Code of a model.',
    format: 'builtin',
    tier: 'project',
    params: { type: 'object' },
    requires: [],
    limits: { timeoutMs, memoryMb: 256 },
    source: { file: null, digest: sha256(code) },
    runtime: { name: 'deno', plan },
    details: principal.allowedTools === undefined ? undefined : { allowedTools: principal.allowedTools },
  })
}

/** Adds what the code printed, so that the model sees it. */
function withPrinted(result: CallToolResult, outcome: Outcome): CallToolResult {
  const thrown = outcome.ok ? undefined : outcome.error.message
  const printed = outcome.logs
    .filter((line) => thrown === undefined || !line.message.includes(thrown))
    .map((line) => (line.level === 'info' ? line.message : `${line.level}: ${line.message}`))
  if (printed.length === 0) return result
  return {
    ...result,
    content: [...result.content, { type: 'text', text: `Printed:\n${printed.join('\n')}` }],
  }
}

export const codeTools = fewTools(runCode, run)
