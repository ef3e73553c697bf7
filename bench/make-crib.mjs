// A crib of any size with tools of every format, the same for every run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const kinds = ['py', 'py', 'py', 'py', 'yaml', 'yaml', 'ts', 'sh', 'json', 'skill']

/** Writes `count` tool files under `root` and returns their paths by kind. */
export function makeCrib(root, count) {
  const files = []
  for (let n = 0; n < count; n++) {
    const kind = kinds[n % kinds.length]
    const [path, text] = makers[kind](n)
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    files.push({ kind, file })
  }
  return files
}

const words =
  'count fetch send read write list find merge split sort check sign build test deploy watch'.split(' ')
const describe = (n) => `${words[n % words.length]} the ${words[(n * 7) % words.length]} of item ${n}`
const category = (n) => `group${n % 50}`

/** One Python tool file: its path and text. */
export const pythonTool = (n) => makers.py(n)

const makers = {
  py: (n) => [
    `.ai/tools/${category(n)}/tool_${n}.py`,
    `"""Tool ${n}."""
import json

__version__ = "1.0.${n % 10}"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "${category(n)}"
__tool_description__ = "${describe(n)}"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Name of ${n}"},
        "count": {"type": "integer", "default": ${n}, "minimum": 0},
    },
    "required": ["name"],
}


def helper(value):
    total = 0
    for index in range(10):
        if index % 2 == 0:
            total += index * value
    return total


def execute(params: dict, project_path: str) -> dict:
    try:
        result = {"name": params["name"], "total": helper(params["count"])}
        return {"success": True, "data": result, "text": json.dumps(result)}
    except Exception as error:
        return {"success": False, "error": str(error)}
`,
  ],
  yaml: (n) => [
    `.ai/tools/${category(n)}/tool-${n}.yaml`,
    `tool_id: tool-${n}
tool_type: script
version: "1.0.0"
category: ${category(n)}
description: ${describe(n)}
executor_id: subprocess
tags: [bench, n${n % 20}]
parameters:
  - name: name
    type: string
    required: true
    description: Name of ${n}
  - name: count
    type: integer
    required: false
    default: ${n}
    description: How many
config:
  command: echo
  args: ["{name}", "{count}"]
`,
  ],
  ts: (n) => [
    `.ai/tools/${category(n)}/tool_${n}.ts`,
    `export const __version__ = "1.0.0";
export const __tool_type__ = "javascript";
export const __executor_id__ = "rye/core/runtimes/node/node";
export const __category__ = "${category(n)}";
export const __tool_description__ = "${describe(n)}";
export const CONFIG_SCHEMA = {
  type: "object",
  properties: { name: { type: "string", description: "Name of ${n}" } },
  required: ["name"],
} as const;
interface Params { name: string }
export default function main(params: Params) {
  return { success: true, output: \`Hello, \${params.name}!\` };
}
`,
  ],
  sh: (n) => [
    `.ai/tools/${category(n)}/tool_${n}.sh`,
    `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id bash
# @category ${category(n)}
# @description ${describe(n)}
# @param {string} name - Name of ${n}
echo "Hello, $PARAM_NAME"
`,
  ],
  json: (n) => [
    `crumbs/tool_${n}.json`,
    JSON.stringify({
      schema_name: 'tool.code.v1',
      title: `Tool ${n}`,
      tags: ['tool', `tool:code_${n}`, 'workspace:tools', 'self-contained'],
      context: {
        name: `code_${n}`,
        description: describe(n),
        version: '1.0.0',
        code: {
          language: 'typescript',
          source: 'export async function execute(input: { a: number }) {\n  return { b: input.a + 1 }\n}\n',
        },
        input_schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
        output_schema: { type: 'object', properties: { b: { type: 'number' } } },
        required_secrets: [],
        limits: { memory_mb: 64, timeout_ms: 5000, cpu_percent: 100 },
        permissions: { network: false },
        examples: [{ description: 'adds', input: { a: 1 }, output: { b: 2 } }],
      },
    }),
  ],
  skill: (n) => [
    `skills/skill-${n}/SKILL.md`,
    `---
name: skill-${n}
description: ${describe(n)}
metadata:
  tags: [bench]
  params:
    type: object
    properties:
      name: { type: string, description: Name of ${n} }
    required: [name]
---
You ${describe(n)}.
`,
  ],
}
