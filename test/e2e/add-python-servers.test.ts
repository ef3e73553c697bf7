// Servers that an entry fetches from PyPI (`uvx`, `pipx run`): installed once, pinned, started without network. A wheel
// in a folder stands in for the package index, which is not here; pip is the real one, uv is played by pip.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0
if (!hasPip) console.log('skipped: python3 has no pip')

const server = `import json, os, sys
def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message: continue
        method = message["method"]
        if method == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "clock", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "tell", "description": "Tells its arguments", "inputSchema": {"type": "object"}}]}
        else:
            note = os.path.join(os.environ["HOME"], "note")
            seen = os.path.exists(note)
            open(note, "w").close()
            text = json.dumps({"args": sys.argv, "seen": seen})
            result = {"content": [{"type": "text", "text": text}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
`

/** A wheel, which is an archive of files with a record of them. */
const makeWheel = `import base64, hashlib, sys, zipfile
folder, server = sys.argv[1], open(sys.argv[2]).read()
info = "clock_server-2.0.1.dist-info"
files = {
  "clock_server/__init__.py": server,
  info + "/METADATA": "Metadata-Version: 2.1\\nName: clock-server\\nVersion: 2.0.1\\n",
  info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
  info + "/entry_points.txt": "[console_scripts]\\nother = clock_server:nothing\\nclock-server = clock_server:main\\n",
}
lines = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text.encode())}" for path, text in files.items()]
files[info + "/RECORD"] = "\\n".join([*lines, info + "/RECORD,,", ""])
with zipfile.ZipFile(folder + "/clock_server-2.0.1-py3-none-any.whl", "w") as wheel:
    for path, text in files.items(): wheel.writestr(path, text)
`

/** A crib, and an index with one package in it. */
function cribWithIndex(): { root: string; cwd: string; env: Record<string, string> } {
  const root = tempFolder({
    'crib/toolcrib.yaml': '',
    'index/.keep': '',
    'server.py': server,
    'make.py': makeWheel,
  })
  const made = spawnSync('python3', [join(root, 'make.py'), join(root, 'index'), join(root, 'server.py')])
  expect(made.stderr.toString()).toBe('')
  const env = {
    HOME: root,
    TOOLCRIB_TRUST_FOLDER: '0',
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: join(root, 'index'),
    PIP_CONFIG_FILE: '/dev/null',
  }
  return { root, cwd: join(root, 'crib'), env }
}

const entryOf = (command: string, args: readonly string[]) =>
  JSON.stringify({ mcpServers: { clock: { command, args } } })

it.skipIf(!hasPip).each([
  ['uvx', ['clock-server@2.0.1', '--tz', 'UTC'], 'clock-server@2.0.1'],
  ['pipx', ['run', 'clock-server', '--tz', 'UTC'], 'clock-server'],
])(
  'a server of %s %j is installed, pinned and started from the crib',
  async (command, args, spec) => {
    verifies('D9', 'D10')
    const { root, cwd, env } = cribWithIndex()
    writeFileSync(join(cwd, '.mcp.json'), entryOf(command, args))
    const added = await toolcrib(['add', '--from', 'claude-code', '--yes', '--json'], { cwd, env })
    expect(added.json).toMatchObject({ tools: ['clock-tell'] })
    expect(added.json.notes.join('\n')).toContain('clock-server 2.0.1 is installed and pinned')
    const installed = JSON.parse(
      readFileSync(join(cwd, '.toolcrib/servers/clock/package/toolcrib-package.json'), 'utf8'),
    )
    expect(installed).toMatchObject({
      spec,
      version: '2.0.1',
      integrity: expect.stringMatching(/^sha256-.{44}$/),
    })
    expect(readFileSync(join(cwd, 'toolcrib.lock'), 'utf8')).toContain('toolcrib-package.json')
    // The index is not asked again.
    const later = { ...env, PIP_FIND_LINKS: join(root, 'gone') }
    const call = async () =>
      JSON.parse((await toolcrib(['run', 'clock-tell', '-q'], { cwd, env: later })).stdout)
    expect(await call()).toEqual({ args: ['clock-server', '--tz', 'UTC'], seen: false })
    expect(await call()).toMatchObject({ seen: true })
    expect(existsSync(join(cwd, '.toolcrib/servers/clock/home/note'))).toBe(true)
  },
  120_000,
)

it.skipIf(!hasPip)(
  'uv installs it where there is one, and what has no wheel is not built',
  async () => {
    verifies('D9')
    const { root, cwd, env } = cribWithIndex()
    // What uv is told, in the words of pip.
    const uv = `#!/bin/sh
echo "$*" > ${join(root, 'asked')}
eval "last=\\\${$#}"
exec "$5" -m pip install --quiet --only-binary=:all: --target "$7" "$last"
`
    writeFileSync(join(root, 'uv'), uv)
    chmodSync(join(root, 'uv'), 0o755)
    const withUv = { ...env, PATH: `${root}:${process.env['PATH']}` }
    const add = (spec: string, more: readonly string[] = []) =>
      toolcrib(['add', 'clock', '--yes', '--json', ...more, '--', 'uvx', spec], { cwd, env: withUv })
    expect((await add('clock-server')).json).toMatchObject({ tools: ['clock-tell'] })
    expect(readFileSync(join(root, 'asked'), 'utf8')).toMatch(
      /^pip install .*--target .*--no-build -- clock-server$/m,
    )
    const missing = await add('no-such-server')
    expect(missing.json.notes.join('\n')).toMatch(/RUNTIME_MISSING: no-such-server could not be installed/)
    expect(missing.json.notes.join('\n')).toContain('--allow-scripts')
  },
  120_000,
)
