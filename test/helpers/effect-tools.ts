// Tools that write, one for each way a tool can run, in a crib of their own.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from './temp-folder.ts'

const python = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "write"
__tool_description__ = "Writes a text to a file"
CONFIG_SCHEMA = {"type": "object", "properties": {
    "file": {"type": "string"}, "text": {"type": "string"}, "op": {"type": "string", "default": "append"}},
    "required": ["file"]}
import os

def execute(params, project_path):
    path = os.path.join(project_path, params["file"])
    if params["op"] == "read":
        return {"success": True, "data": open(path).read() if os.path.exists(path) else None}
    if params["op"] == "delete":
        os.remove(path)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a") as file:
            file.write(params["text"])
    if params["op"] == "fail":
        raise ValueError("as asked")
    if params["op"] == "hang":
        import time
        time.sleep(600)
    return {"success": True, "data": "written"}
`

const shell = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Writes a text to a file
# @param {string} file - The file
# @param {string} text - What to write
set -eu
mkdir -p "$(dirname "$PARAM_FILE")"
printf '%s' "$PARAM_TEXT" >> "$PARAM_FILE"
printf '{"success": true, "data": "written"}\\n'
`

const node = `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = 'write'
export const __tool_description__ = 'Writes a text to a file'
export const CONFIG_SCHEMA = { type: 'object', properties: { file: { type: 'string' }, text: { type: 'string' } },
  required: ['file', 'text'] }
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
export default function main({ file, text }, projectPath) {
  mkdirSync(dirname(join(projectPath, file)), { recursive: true })
  appendFileSync(join(projectPath, file), text)
  return { success: true, data: 'written' }
}
`

const skill = `import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
export const frontmatter = {
  name: 'write-skill',
  description: 'Writes a text to a file, before and after another tool',
  metadata: { params: { type: 'object', properties: { file: { type: 'string' }, text: { type: 'string' },
    then: { type: 'string' } }, required: ['file', 'text'] } },
}
export default async function (ctx, { file, text, then }) {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, text)
  if (then) await ctx.manager.invoke(then, { file, text })
  return { seen: existsSync(file) ? readFileSync(file, 'utf8') : null }
}
`

/** Writes, calls another tool, and tells what it sees then. */
const outer = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "write"
__tool_description__ = "Writes, then has another tool write"
__requires__ = ["rye.execute", "fs.read", "fs.write"]
CONFIG_SCHEMA = {"type": "object", "properties": {
    "file": {"type": "string"}, "text": {"type": "string"}, "inner": {"type": "string"},
    "innerFile": {"type": "string"}, "last": {"type": "string"}}, "required": ["file", "text", "inner"]}
import os, toolcrib

def execute(params, project_path):
    path = os.path.join(project_path, params["file"])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as file:
        file.write(params["text"])
    inner = params.get("innerFile", params["file"])
    toolcrib.execute(params["inner"], {"file": inner, "text": "inner\\n"})
    seen = open(os.path.join(project_path, inner)).read()
    if "last" in params:
        with open(path, "a") as file:
            file.write(params["last"])
    return {"success": True, "data": seen}
`

const toolCode = {
  schema_name: 'tool.code.v1',
  title: 'Write by tool-code',
  tags: ['tool', 'tool:write-code'],
  context: {
    name: 'write-code',
    description: 'Has another tool write a text to a file: tool-code itself never writes',
    version: '1.0.0',
    code: {
      language: 'javascript',
      source:
        'export async function execute(input, { api }) { await api.callTool("write/sh", input); return { written: true } }',
    },
    input_schema: {
      type: 'object',
      properties: { file: { type: 'string' }, text: { type: 'string' } },
      required: ['file', 'text'],
    },
    output_schema: { type: 'object' },
    permissions: { tools: ['write/sh'] },
  },
}

const command = {
  tools: [
    {
      name: 'write_command',
      description: 'Writes a text to a file.',
      parameters: {
        type: 'object',
        properties: { file: { type: 'string' }, text: { type: 'string' } },
        required: ['file', 'text'],
      },
    },
  ],
  allowlist: { tee: ['--append'] },
  execution: [
    {
      tool: 'write_command',
      binary: 'tee',
      subcommand: '--append',
      args: [
        { kind: 'literal', value: '--' },
        { param: 'file', kind: 'positional', writePath: true },
        { param: 'text', kind: 'stdin' },
      ],
    },
  ],
}

/** The tools as files of a crib. */
export const effectToolFiles: { readonly [path: string]: string } = {
  '.ai/tools/write/py.py': python,
  '.ai/tools/write/sh.sh': shell,
  '.ai/tools/write/node.js': node,
  '.ai/tools/write/outer.py': outer,
  'skills/write.skill.js': skill,
  'skills/write-command/SKILL.md':
    '---\nname: write-command\ndescription: Writes a text to a file\n---\n\nUse `write_command`.\n',
  'skills/write-command/tools.json': JSON.stringify(command),
  'crumbs/write-code.json': JSON.stringify(toolCode),
}

/** One tool per way to run, by id. */
export const everyWay = [
  'write/py',
  'write/node',
  'write/sh',
  'write_command',
  'write-code',
  'write-skill',
] as const

const outerGrant = 'grants: { tools: { "write/outer": [rye.execute, fs.read, fs.write] } }\n'

export interface EffectCrib {
  readonly root: string
  readonly env: { readonly [name: string]: string }
}

/** Such a crib on disk, with more files, and the environment in which its state lies beside it. */
export function effectCrib(files: { readonly [path: string]: string } = {}): EffectCrib {
  const tools = Object.entries(effectToolFiles).map(([path, text]) => [`crib/${path}`, text])
  const top = tempFolder({
    // What somebody vouches for may run inside the host, where nothing is held (G14).
    'crib/toolcrib.yaml': `trust: "off"\nskills: { host: never }\n${outerGrant}`,
    'crib/notes.txt': 'first\n',
    ...Object.fromEntries(tools),
    ...files,
  })
  mkdirSync(join(top, 'home'))
  const home = join(top, 'home')
  return { root: join(top, 'crib'), env: { HOME: home, XDG_STATE_HOME: join(top, 'state') } }
}
