// Skills as MCP prompts and `skill://` resources, as they are listed.
import type { Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { isPlainObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { skillFiles, skillUri } from './skill-files.ts'

/** The skills that are prompts and resources: visible, written in markdown, no middleware. Sorted by name. */
export function skillsOf(tools: readonly Tool[]): Tool[] {
  return tools
    .filter(
      (tool) =>
        tool.details?.skill &&
        tool.state === 'available' &&
        tool.kind !== 'middleware' &&
        !tool.hidden &&
        tool.details?.content !== undefined,
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Whether a person may choose the skill from a client's menu (D11b). */
export function isForPeople({ details }: Tool): boolean {
  return details?.forPeople !== false
}

export function promptOf(skill: Tool): Prompt {
  const required = requiredOf(skill)
  const { argumentHint } = skill.details ?? {}
  return {
    name: skill.id,
    title: skill.title || undefined,
    description: skill.description,
    arguments: Object.entries(propertiesOf(skill))
      .map(([name, property]) => ({
        name,
        description:
          isPlainObject(property) && typeof property['description'] === 'string'
            ? property['description']
            : undefined,
        required: required.has(name),
      }))
      .concat(
        argumentHint === undefined
          ? []
          : [{ name: 'arguments', description: argumentHint || 'What to work on', required: false }],
      ),
  }
}

/** The files of a skill, its SKILL.md first. */
export function resourcesOf(skill: Tool): Resource[] {
  const own: Resource = {
    uri: `skill://${skill.id}/SKILL.md`,
    name: skill.id,
    title: skill.title || undefined,
    description: skill.description,
    mimeType: 'text/markdown',
  }
  const [, ...others] = skillFiles(skill)
  return [own, ...others.map((path) => ({ uri: skillUri(skill.id, path), name: `${skill.id}/${path}` }))]
}

/** Every file of a skill's folder. */
export const skillTemplate: ResourceTemplateType = {
  uriTemplate: 'skill://{name}/{+path}',
  name: 'skill-file',
  description: 'A file of a skill folder.',
}

export function propertiesOf(skill: Tool): { readonly [name: string]: unknown } {
  const properties = skill.params?.['properties']
  return isPlainObject(properties) ? properties : {}
}

export function requiredOf(skill: Tool): Set<string> {
  const required = skill.params?.['required']
  return new Set(Array.isArray(required) ? required.map(String) : [])
}
