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

/** The tools as files of a crib. */
export const effectToolFiles: { readonly [path: string]: string } = {
  '.ai/tools/write/py.py': python,
  '.ai/tools/write/sh.sh': shell,
}

export interface EffectCrib {
  readonly root: string
  readonly env: { readonly [name: string]: string }
}

/** Such a crib on disk, with more files, and the environment in which its state lies beside it. */
export function effectCrib(files: { readonly [path: string]: string } = {}): EffectCrib {
  const tools = Object.entries(effectToolFiles).map(([path, text]) => [`crib/${path}`, text])
  const top = tempFolder({
    'crib/toolcrib.yaml': 'trust: "off"\n',
    'crib/notes.txt': 'first\n',
    ...Object.fromEntries(tools),
    ...files,
  })
  mkdirSync(join(top, 'home'))
  const home = join(top, 'home')
  return { root: join(top, 'crib'), env: { HOME: home, XDG_STATE_HOME: join(top, 'state') } }
}
