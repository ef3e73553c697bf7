// What a foreign server offers as entries of the catalog: its tools, its prompts and its resources, each under the
// server's name (U1).
import type { Tool as McpTool, Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/client'
import { isUnreadable } from '../../formats/mcp/judged-schema.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import { defined } from '../../tool/defined.ts'
import { isPlainObject, type JsonObject, jsonDigest } from '../../tool/json.ts'
import { formerMcpToolName, mcpToolName, mcpToolUri, toldApart } from '../../tool/mcp-name.ts'
import type { McpPlan } from '../../tool/plans/mcp-plan.ts'
import type { Problem } from '../../tool/problem.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { type JsonSchema, makeTool, type Tool } from '../../tool/tool.ts'
import { headerFault } from './param-headers.ts'
import type { ServerLists } from './server-lists.ts'

const maxInstructions = 16_384

/** Everything a server said. */
export interface Heard extends ServerLists {
  /** By the name of a prompt: the digest of its text. */
  readonly texts: { readonly [prompt: string]: string }
}

/** The entries of one server; no two have the same id. */
export function entriesFrom(
  server: Tool,
  { tools: offered, prompts, resources, templates, texts, instructions }: Heard,
): Tool[] {
  const { name: of, includeTools, excludeTools = [] } = specOf(server)!
  const tools = offered.filter(
    ({ name }) => (includeTools?.includes(name) ?? true) && !excludeTools.includes(name),
  )
  const taken = new Set(tools.map(({ name }) => `${of}-${name}`))
  const entries = tools.map((definition) =>
    toolFrom(server, definition, toolName(of, definition.name, taken)),
  )
  for (const prompt of prompts)
    entries.push(promptFrom(server, prompt, freeName(of, 'prompt', prompt.name, taken), texts[prompt.name]))
  for (const resource of resources)
    if (typeof resource.uri === 'string')
      entries.push(resourceFrom(server, resource, freeName(of, 'resource', resource.name, taken)))
  for (const template of templates)
    if (typeof template.uriTemplate === 'string')
      entries.push(resourceFrom(server, template, freeName(of, 'resource', template.name, taken)))
  if (typeof instructions === 'string' && instructions.trim() !== '')
    entries.push(instructionsFrom(server, instructions, freeName(of, 'text', 'instructions', taken)))
  return entries
}

/** Of two names that become one, the one that had to be changed is told apart by its digest. */
function toolName(server: string, tool: string, taken: Set<string>): string {
  const whole = `${server}-${tool}`
  const name = mcpToolName(server, tool)
  if (name === whole) return name
  return take(taken, taken.has(name) ? toldApart(name, whole) : name)
}

/** A prompt or resource that has the name of a tool says what it is. */
function freeName(server: string, kind: string, given: string, taken: Set<string>): string {
  const names = [given, `${kind}-${given}`].map((name) => mcpToolName(server, name))
  let name = names.find((one) => !taken.has(one))
  for (let n = 1; name === undefined; n++) {
    const next = toldApart(names[1]!, `${server}-${given}#${n}`)
    if (!taken.has(next)) name = next
  }
  return take(taken, name)
}

function take(taken: Set<string>, name: string): string {
  taken.add(name)
  return name
}

type Definition = { readonly title?: unknown; readonly description?: unknown }

/** What every entry of a server has. */
function entryFrom(
  server: Tool,
  definition: Definition,
  id: string,
  plan: Omit<McpPlan, 'server'>,
): Parameters<typeof makeTool>[0] {
  const spec = specOf(server)!
  return {
    id,
    name: id,
    title: textOr(definition.title, undefined),
    description: textOr(definition.description, ''),
    format: 'mcp',
    tier: server.tier,
    requires: server.requires,
    limits: defined({ ...spec.limits, timeoutMs: spec.timeoutMs ?? spec.limits?.timeoutMs }),
    tags: [spec.name],
    source: { ...server.source, digest: jsonDigest(definition) },
    runtime: { name: 'mcp', plan: { server: spec, ...plan } },
    trust: server.trust,
  }
}

function toolFrom(server: Tool, definition: McpTool, id: string): Tool {
  const spec = specOf(server)!
  const params = schemaOf(definition.inputSchema) ?? { type: 'object' }
  const returns = schemaOf(definition.outputSchema) ?? null
  const former = formerMcpToolName(spec.name, definition.name)
  const { name, description, inputSchema, outputSchema, annotations, ...more } = definition
  const entry = entryFrom(server, definition, id, { tool: name })
  return makeTool({
    ...entry,
    title: entry.title ?? textOr(annotations?.title, undefined),
    aliases: [...(former === id ? [] : [former]), `${spec.name}/${name}`],
    params,
    returns,
    problems: [
      ...schemaProblems(server, id, 'input', params),
      ...schemaProblems(server, id, 'output', returns),
      ...headerProblems(server, id, params),
    ],
    details: {
      server: spec.name,
      uri: mcpToolUri(spec.name, name),
      annotations: isPlainObject(annotations) ? (annotations as JsonObject) : undefined,
      formerId: former === id ? undefined : former,
      more: more as JsonObject,
    },
  })
}

function promptFrom(server: Tool, definition: Prompt, id: string, text: string | undefined): Tool {
  const { name, ...more } = definition
  const given = Array.isArray(definition.arguments)
    ? definition.arguments.filter((one) => isPlainObject(one))
    : []
  const properties = given.map((argument) => [
    String(argument.name),
    { type: 'string', description: textOr(argument.description, undefined) },
  ])
  const required = given
    .filter((argument) => argument.required === true)
    .map((argument) => String(argument.name))
  const entry = entryFrom(server, definition, id, { tool: name, as: 'prompt' })
  return makeTool({
    ...entry,
    source: { ...entry.source, digest: jsonDigest([definition, text ?? null]) },
    kind: 'prompt',
    aliases: [aliasOf(server, id)],
    params: { type: 'object', properties: Object.fromEntries(properties), required },
    details: { server: specOf(server)!.name, more: more as JsonObject, text },
  })
}

/** A resource is read without arguments; one of a pattern by its address. */
function resourceFrom(server: Tool, definition: Resource | ResourceTemplateType, id: string): Tool {
  const { uri, uriTemplate } = definition as { uri?: string; uriTemplate?: string }
  const isOne = uri !== undefined
  const address = { type: 'string', description: `An address like ${uriTemplate}` }
  return makeTool({
    ...entryFrom(server, definition, id, {
      tool: (uri ?? uriTemplate)!,
      as: isOne ? 'resource' : 'template',
    }),
    kind: 'resource',
    aliases: [aliasOf(server, id)],
    params: isOne
      ? { type: 'object', properties: {} }
      : { type: 'object', properties: { uri: address }, required: ['uri'] },
    details: { server: specOf(server)!.name, uri, uriTemplate, more: definition as JsonObject },
  })
}

/** What the server tells clients of how to use it, as an entry of its own: a change of it keeps no tool apart. */
function instructionsFrom(server: Tool, given: string, id: string): Tool {
  const { name } = specOf(server)!
  const instructions = given.length > maxInstructions ? `${given.slice(0, maxInstructions)} [cut]` : given
  const definition = { description: `What the server "${name}" tells clients of how to use it.` }
  return makeTool({
    ...entryFrom(server, definition, id, { tool: 'instructions', as: 'instructions' }),
    source: { ...server.source, digest: jsonDigest(instructions) },
    kind: 'instructions',
    aliases: [aliasOf(server, id)],
    params: { type: 'object', properties: {} },
    details: { server: name, instructions },
  })
}

/** `server/name`, as offers name what a server has. */
function aliasOf(server: Tool, id: string): string {
  const { name } = specOf(server)!
  return `${name}/${id.slice(mcpToolName(name, '').length)}`
}

function textOr<Other>(given: unknown, other: Other): string | Other {
  return typeof given === 'string' ? given : other
}

function schemaOf(given: unknown): JsonSchema | undefined {
  return isPlainObject(given) ? (given as JsonSchema) : undefined
}

/** Over HTTP a tool that asks for impossible headers must not be used (SEP-2243). */
function headerProblems(server: Tool, toolId: string, params: JsonSchema): Problem[] {
  const fault = specOf(server)!.transport === 'http' ? headerFault(params) : undefined
  if (fault === undefined) return []
  return [
    {
      code: 'mcp-schema-invalid',
      severity: 'error',
      message: `The input schema of ${toolId} asks for headers that cannot be: ${fault}.`,
      hint: 'Its server has to fix x-mcp-header; until then the tool cannot be used.',
      ...placeOf(server),
      toolId,
    },
  ]
}

function placeOf({ source }: Tool): Pick<Problem, 'file' | 'line'> {
  return source.file ? { file: source.file, line: source.line ?? 1 } : {}
}

/** An odd part of a schema is a note: the tool is offered as it came, and its server judges (U2a). */
function schemaProblems(server: Tool, toolId: string, which: string, schema: JsonSchema | null): Problem[] {
  return (schema ? lintSchema(schema) : []).slice(0, 1).map((finding) => ({
    code: 'mcp-schema-invalid',
    severity: isUnreadable(schema!) ? 'error' : 'warning',
    message: `The ${which} schema of ${toolId} is not valid at ${finding.pointer || 'its root'}: ${finding.message}.`,
    hint: 'Its server has to fix it; until then this part is not checked here.',
    ...placeOf(server),
    toolId,
  }))
}
