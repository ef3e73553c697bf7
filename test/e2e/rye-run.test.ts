// Rye tools from their files to their outcomes, through the whole crib.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { hasFence } from '../helpers/fenced.ts'
import { verifies } from '../helpers/verifies.ts'

const files: Record<string, string> = {
  'toolcrib.yaml':
    'trust: "off"\ngrants: {default: [fs.read, fs.write, shell.execute, rye.execute]}\nlimits: {memoryMb: 256}\n',
  '.ai/config/greet.yaml': 'greeting: Hello\nnested: {a: 1}\n',
  '.ai/tools/util/hello.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "util"
__tool_description__ = "Greets"
CONFIG_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "timeout": {"type": "integer", "default": 3}},
                 "required": ["name"], "additionalProperties": False}
CONFIG_RESOLVE = {"path": "greet.yaml"}
OUTPUT_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

def execute(params, project_path):
    if params["name"] == "bad":
        return {"success": True, "text": 5}
    config = params["resolved_config"]
    return {"success": True, "text": config["greeting"] + " " + params["name"], "timeout": params["timeout"]}
`,
  '.ai/tools/util/caller.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "util"
__tool_description__ = "Calls another tool"
import toolcrib

def execute(params, project_path):
    return {"success": True, "got": toolcrib.execute("util/hello", {"name": "nested"})}
`,
  '.ai/tools/util/bound.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "util"
__tool_description__ = "Takes its function from elsewhere"
from bound_code import run as execute
`,
  '.ai/tools/util/bound_code.py':
    'def run(params, project_path):\n    return {"success": True, "got": params}\n',
  '.ai/tools/util/older.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/script"
__category__ = "util"
__tool_description__ = "An older script"
import argparse, json
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--params", required=True)
    parser.add_argument("--project-path", required=True)
    args = parser.parse_args()
    print(json.dumps({"success": True, "params": json.loads(args.params), "project": args.project_path}))
`,
  '.ai/tools/util/shout.ts': `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = 'util'
export const __tool_description__ = 'Shouts'
export const CONFIG_SCHEMA = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
export default async function (params: { text: string }): Promise<object> {
  return { success: true, text: params.text.toUpperCase() }
}
`,
  '.ai/tools/util/count.sh': `#!/bin/sh
# @version 1.0.0
# @tool_type script
# @executor_id subprocess
# @category util
# @description Counts letters
# @param {string} word - what to count
printf '%s' "\${#PARAM_WORD} \${BASH_VERSION:+bash}"
`,
  '.ai/tools/util/upper.sh': `# @version 1.0.0
# @tool_type script
# @executor_id bash
# @category util
# @description Shouts with another program
# @requires fs.read
# @param {string} word - what to shout
printf '%s' "$PARAM_WORD" | tr a-z A-Z
`,
  '.ai/tools/util/sneaky.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "util"
__tool_description__ = "Tries to start a program"
__requires__ = ["fs.read"]
import subprocess

def execute(params, project_path):
    return {"success": True, "output": subprocess.run(["/usr/bin/id"], capture_output=True).stdout.decode()}
`,
  '.ai/tools/util/hungry.py': `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = "util"
__tool_description__ = "Eats memory"

def execute(params, project_path):
    if params.get("ok"):
        return {"success": True}
    hoard = []
    while True:
        hoard.append(b"x" * 10_000_000)
`,
  '.ai/tools/awk.yaml': `tool_id: awk
tool_type: runtime
version: "1.0.0"
category: ""
description: Runs awk scripts
executor_id: subprocess
extensions: [.awk]
env_config: {interpreter: {type: system_binary, binary: awk, var: MY_AWK}}
config: {command: "\${MY_AWK}", args: ["-f", "{tool_path}"], input_data: "{params_json}", timeout: 60}
`,
  '.ai/tools/lang/words.yaml': `tool_id: words
tool_type: script
version: "1.0.0"
category: lang
description: Counts words with awk
executor_id: awk
`,
  '.ai/tools/lang/words.awk': '{ print "awk " $0 }\n',
  '.ai/tools/util/beside.yaml': `tool_id: beside
tool_type: script
version: "1.0.0"
category: util
description: Prints a file that lies beside it
executor_id: subprocess
config: {command: cat, args: [data/note.txt]}
`,
  '.ai/tools/util/data/note.txt': 'a note',
  '.ai/tools/util/keep.yaml': `tool_id: keep
tool_type: script
version: "1.0.0"
category: util
description: Keeps a note
executor_id: filesystem
parameters: [{name: text, type: string, required: true, description: the note}]
config: {operation: write, path: notes.txt, content: "{text}"}
`,
}

let dir: string
let crib: Crib

beforeAll(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-')))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  crib = await openCrib({ root: dir })
})
afterAll(async () => {
  await crib.close()
  rmSync(dir, { recursive: true, force: true })
})

const call = async (id: string, params: object) => {
  const outcome = await crib.call(id, params)
  return outcome.ok ? outcome.value : outcome.error
}

it('runs a Python function with defaults and resolved configuration, a param named timeout included', async () => {
  verifies('R21', 'R32', 'R45', 'R53')
  expect(await call('util/hello', { name: 'Ada' })).toEqual({ success: true, text: 'Hello Ada', timeout: 3 })
  expect(await call('util/hello', { name: 'Ada', timeout: 9 })).toMatchObject({ timeout: 9 })
  expect(await call('util/hello', { name: 'Ada', resolved_config: {} })).toMatchObject({
    code: 'PARAMS_INVALID',
  })
})

it('runs a Python function that the file imports or assigns', async () => {
  verifies('R32')
  expect(await call('util/bound', { a: 1 })).toEqual({ success: true, got: { a: 1 } })
})

it('checks the result', async () => {
  verifies('R44')
  expect(await call('util/hello', { name: 'bad' })).toMatchObject({ code: 'RESULT_INVALID' })
})

it('lets a tool that may call another one', async () => {
  verifies('R68')
  expect(await call('util/caller', {})).toMatchObject({ got: { text: 'Hello nested' } })
})

it('runs an older script with the flags it demands', async () => {
  expect(await call('util/older', { a: 1 })).toEqual({ success: true, params: { a: 1 }, project: dir })
})

it('runs TypeScript', async () => {
  verifies('R39')
  expect(await call('util/shout', { text: 'hey' })).toEqual({ success: true, text: 'HEY' })
})

it('runs a shell script on subprocess with bash, whatever its shebang', async () => {
  expect(await call('util/count', { word: 'four' })).toMatchObject({ success: true, output: '4 bash' })
})

it('lets a shell script start programs without a capability', async () => {
  verifies('R68')
  expect(await call('util/upper', { word: 'loud' })).toMatchObject({ success: true, output: 'LOUD' })
})

it.skipIf(!hasFence)('keeps programs from a Python tool without the capability', async () => {
  verifies('R68')
  expect(await call('util/sneaky', {})).toMatchObject({
    code: 'TOOL_FAILED',
    message: expect.stringContaining('FileNotFoundError'),
  })
})

it('ends a tool that eats memory, and serves the next call', async () => {
  expect(await call('util/hungry', {})).toMatchObject({ code: 'MEMORY_LIMIT' })
  expect(await call('util/hungry', { ok: true })).toEqual({ success: true })
})

it('runs a language that one file adds', async () => {
  verifies('R29', 'R36')
  expect(await call('lang/words', { a: 1 })).toMatchObject({ success: true, output: 'awk {"a":1}' })
})

it('finds a file that lies beside the tool', async () => {
  verifies('R36')
  expect(await call('util/beside', {})).toMatchObject({ success: true, output: 'a note' })
})

it('writes a file of the project', async () => {
  verifies('R37')
  expect(await call('util/keep', { text: 'kept' })).toMatchObject({ success: true, bytes: 4 })
})
