// Nothing a tool can write is believed: all examples run while every file that the host or another tool opens is
// traced, and a tool with the default grants tries to write each of them. What it can write and somebody loads is
// nothing (the proof of spec/ground.md).
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { cribSkillFolders } from '../../src/config/skill-paths.ts'
import { canLayer } from '../helpers/layered.ts'
import { proves } from '../helpers/proves.ts'
import { has } from '../helpers/system-parts.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'
import { pythonTool } from './crib-of.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const missing = ['strace', 'python3'].filter((program) => !has(program))
if (missing.length > 0)
  console.info(`skipped: what a tool can write against what is loaded: ${missing.join(' and ')} missing`)

/** What the examples read and write as data, because their arguments say so. */
const data = [/^notes(\/|$)/, /^rye\/out(\/|$)/]

const writer = pythonTool(`written = []
for path in params["paths"]:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "ab") as file: file.write(b"\\n")
        written.append(path)
    except OSError:
        pass
return {"success": True, "data": written}`)

/** Every file below `root` that was opened to be read or run, and every one that was looked for and is not there. */
function loadedFiles(trace: string, root: string): string[] {
  const found = new Set<string>()
  for (const line of trace.split('\n')) {
    const call = /^\d+ +(\w+)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)",? ?(.*)$/.exec(line)
    if (!call) continue
    const [, name, base, path, rest] = call
    const isLook = !/^(open|exec)/.test(name!)
    if (/O_DIRECTORY|O_WRONLY|O_PATH|AT_EMPTY_PATH/.test(rest!) || (isLook && !/= -1 ENOENT/.test(rest!)))
      continue
    const full = resolve(base ?? root, path!)
    const within = relative(root, full)
    if (within !== '' && !within.startsWith('..') && !within.startsWith('.toolcrib')) found.add(within)
  }
  // A folder in which skills are looked for may be made; what is looked for in it may not.
  const holders = new Set(cribSkillFolders.map((folder) => folder.split('/')[0]!))
  const isHolder = (path: string) => holders.has(basename(path)) && !existsSync(join(root, path))
  return [...found].filter((path) => !isHolder(path) && !data.some((pattern) => pattern.test(path)))
}

/** What of these files a run of the tool really puts in place. */
async function writableOf(paths: readonly string[], options: { cwd: string; env: Record<string, string> }) {
  let left = [...paths]
  for (;;) {
    writeFileSync(join(options.env['HOME']!, 'params.json'), JSON.stringify({ paths: left }))
    const params = `@${join(options.env['HOME']!, 'params.json')}`
    const { json } = await toolcrib(['run', 'writer', '--params', params, '--json'], options)
    if (json.ok) return json.value.data as string[]
    expect(json.error).toMatchObject({ code: 'CAPABILITY_DENIED' })
    const refused: string[] = json.error.details.faults.flatMap((fault: { paths: string[] }) => fault.paths)
    const rest = left.filter((path) => !refused.some((at) => path === at || path.startsWith(`${at}/`)))
    expect(rest.length).toBeLessThan(left.length)
    left = rest
  }
}

it.skipIf(missing.length > 0 || !canLayer)(
  'no file that the host or another tool loads can be written by a tool with the default grants',
  async () => {
    verifies('G6', 'G24')
    proves('nothing-believed')
    const home = tempFolder()
    const root = tempFolder()
    cpSync(examples, root, { recursive: true })
    mkdirSync(join(root, '.ai/tools'), { recursive: true })
    writeFileSync(join(root, '.ai/tools/writer.py'), writer)
    const options = { cwd: root, env: { HOME: home } }
    const file = join(home, 'trace')
    const calls = 'trace=open,openat,openat2,execve,execveat,stat,statx,newfstatat,access,faccessat2,readlink'
    const through = ['strace', '-f', '--seccomp-bpf', '-qq', '-y', '-e', calls, '-o', file]
    const ran = await toolcrib(['test', '--json'], { ...options, through })
    expect(ran.json, ran.stderr).toMatchObject({ failed: 0 })
    const loaded = loadedFiles(readFileSync(file, 'utf8'), root)
    // Else nothing was traced: code of tools, definitions and settings are all among them.
    for (const path of [
      'toolcrib.yaml',
      '.mcp.json',
      'servers/units.mjs',
      'rye/servers/desk.mjs',
      'crumbs/calculator.json',
    ])
      expect(loaded).toContain(path)
    expect(loaded.filter((path) => !existsSync(join(root, path))).length).toBeGreaterThan(5)
    expect(await writableOf([...loaded, 'notes/new.md'], options)).toEqual(['notes/new.md'])
  },
  240_000,
)
