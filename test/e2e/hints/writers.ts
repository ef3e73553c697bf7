// Definitions in every format as they should be, with the parts that a test wants otherwise.
import { toolDocument } from '../../../src/formats/tool-code/fixture.ts'

export const yaml = (fields: { readonly [key: string]: string | null }): string =>
  Object.entries({
    version: '"1.0.0"',
    tool_type: 'script',
    executor_id: 'subprocess',
    category: '""',
    description: 'Says hello',
    config: '{ command: echo, args: [hello] }',
    ...fields,
  })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')

export const rye = (id: string, fields: { readonly [key: string]: string | null } = {}) =>
  yaml({ tool_id: id, ...fields })

export const python = (fields: { readonly [key: string]: string } = {}, body?: string) =>
  `${Object.entries({
    __version__: '"1.0.0"',
    __tool_type__: '"python"',
    __executor_id__: '"rye/core/runtimes/python/function"',
    __category__: '""',
    __tool_description__: '"Says hello"',
    ...fields,
  })
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')}${body ?? 'def execute(params, project_path):\n    return {"success": True}\n'}`

export const shell = (tags: string) =>
  `#!/bin/sh\n# @version 1.0.0\n# @tool_type script\n# @executor_id subprocess\n# @category\n# @description Says hello\n${tags}echo hello\n`

export const doc = (context: Record<string, unknown> = {}, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ ...toolDocument(context), ...rest })

export const markdown = (name: string, front = '', body = 'Say.\n') =>
  `---\nname: ${name}\ndescription: Says\n${front}---\n${body}`

export const code = (name: string, rest = '', body = "export default () => 'x'\n") =>
  `export const frontmatter = { name: '${name}', description: 'Says'${rest} }\n${body}`

export const descriptor = (changes: Record<string, unknown> = {}, execution: Record<string, unknown> = {}) =>
  JSON.stringify({
    tools: [{ name: 'say_it', description: 'Says', parameters: { type: 'object', properties: {} } }],
    allowlist: { echo: [''] },
    execution: [{ tool: 'say_it', binary: 'echo', subcommand: '', ...execution }],
    ...changes,
  })
