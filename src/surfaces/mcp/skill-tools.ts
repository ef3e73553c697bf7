// `list_skills` and `read_skill`, for clients that know tools alone (U6).
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server'
import type { ClientCatalog } from './client-catalog.ts'
import { aboutFiles } from './read-skill.ts'
import { contentOf, manifest, skillFile, skillUri } from './skill-files.ts'
import { errorResult } from './tool-result.ts'

const annotations = { readOnlyHint: true, openWorldHint: false }
const definitions: readonly McpTool[] = [
  {
    name: 'list_skills',
    description: 'The skills of this crib: instructions for tasks, each with a name and what it is for.',
    inputSchema: { type: 'object', properties: {} },
    annotations,
  },
  {
    name: 'read_skill',
    description: 'The instructions of a skill, or one of its files. Read a skill before you use it.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'As list_skills gives it.' },
        file: { type: 'string', description: `A file of the skill's folder; default: ${manifest}.` },
      },
      required: ['name'],
    },
    annotations,
  },
]

/** As `skills.tools` says; a tool of the crib that has one of the names keeps it. */
export function skillTools({ crib, skills, tools }: ClientCatalog): readonly McpTool[] {
  const { tools: wanted } = crib.config.skills
  const hasOwn = [...skills.values()].some(({ tier }) => tier !== 'system')
  if (wanted === 'never' || (wanted === 'auto' && !hasOwn)) return []
  return definitions.filter(({ name }) => !tools.some((tool) => tool.name === name))
}

/** Answers a call of one of them; undefined for every other name. */
export function callSkillTool(
  clientCatalog: ClientCatalog,
  name: string,
  args: { readonly [name: string]: unknown } = {},
): CallToolResult | undefined {
  if (!skillTools(clientCatalog).some((tool) => tool.name === name)) return undefined
  if (name === 'list_skills') {
    const skills = [...clientCatalog.skills.values()].map(({ id, description }) => ({
      name: id,
      description,
    }))
    return { content: [{ type: 'text', text: JSON.stringify({ skills }) }], structuredContent: { skills } }
  }
  const skill = clientCatalog.skills.get(String(args['name']))
  const path = typeof args['file'] === 'string' ? args['file'] : manifest
  const bytes = skill && skillFile(skill, path)
  if (!skill || !bytes) {
    const message = skill
      ? `The skill ${skill.id} has no file ${path}.`
      : `There is no skill "${String(args['name'])}".`
    return errorResult({ code: 'TOOL_NOT_FOUND', message, hint: 'See list_skills.', retryable: false }, false)
  }
  const content = contentOf(skillUri(skill.id, path), bytes)
  if (!('text' in content)) return { content: [{ type: 'resource', resource: content }] }
  const about = path === manifest ? aboutFiles(skill, clientCatalog.crib.root) : undefined
  const texts = [content.text, ...(about ? [about] : [])]
  return { content: texts.map((text) => ({ type: 'text', text })) }
}
