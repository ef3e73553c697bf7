// The corpora once more as an ordinary user, through the program itself: both engines, `preferred` and `required`, with
// and without a lock. What an ordinary user could reach without the fence stands around it; 0 hits.
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { engines, FencedCrib } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'
import { type EscapeCase, Grounds, readResults, tally } from './grounds.ts'
import { nodeCases, nodeDriver } from './node-cases.ts'
import { pythonCases, pythonDriver } from './python-cases.ts'

const somebody = 65_534
/** Not the one of root's own folder. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : undefined
const isRoot = process.getuid?.() === 0
if (!isRoot)
  console.info('skipped: the corpora as another user; the tests do not run as root, so all of them are')

const languages: {
  readonly [name: string]: {
    readonly cases: readonly EscapeCase[]
    readonly command: string
    readonly file: string
    readonly driver: string
  }
} = {
  Python: { cases: pythonCases, command: python ?? '', file: 'driver.py', driver: pythonDriver },
  // Written for `node -e`, which has no name of a script among its arguments.
  Node: {
    cases: nodeCases,
    command: process.execPath,
    file: 'driver.cjs',
    driver: `process.argv.splice(1, 1)\n${nodeDriver}`,
  },
}

const toolFile = (command: string, driver: string) => `version: "1.0.0"
category: ""
description: Tries to get out
tool_type: script
executor_id: subprocess
config:
  command: ${command}
  args: ["jobs/${driver}", cases.json]
  timeout: 200
`

/** Gives a folder with all it holds to the ordinary user. */
function give(path: string): void {
  chownSync(path, somebody, somebody)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) give(inner)
    else if (entry.isFile()) chownSync(inner, somebody, somebody)
  }
}

const runs = engines.flatMap((engine) =>
  Object.keys(languages).flatMap((language) =>
    (['preferred', 'required'] as const).map((mode) => ({ engine, language, mode })),
  ),
)

describe.skipIf(!isRoot || python === undefined)('as an ordinary user', () => {
  it.each(runs)(
    '$language behind $engine ($mode) gets nowhere',
    async ({ engine, language, mode }) => {
      proves('escape-corpus')
      verifies('G9', 'G10')
      const { cases, command, file, driver } = languages[language]!
      const grounds = new Grounds(new FencedCrib({ engine }))
      onTestFinished(() => grounds.close())
      await grounds.open()
      const { project } = grounds.crib
      const home = join(grounds.outside, 'home')
      mkdirSync(home)
      mkdirSync(join(project, '.ai/tools'), { recursive: true })
      writeFileSync(join(project, '.ai/tools/hostile.yaml'), toolFile(command, file))
      mkdirSync(join(project, 'jobs'))
      writeFileSync(join(project, 'jobs', file), driver)
      writeFileSync(join(project, 'cases.json'), JSON.stringify(cases.map(({ code }) => grounds.fill(code))))
      give(project)
      give(grounds.outside)
      const env = {
        HOME: home,
        TOOLCRIB_TRUST: 'warn',
        TOOLCRIB_GRANTS_DEFAULT: 'fs.read,fs.write:out/**',
        TOOLCRIB_SANDBOX: mode,
        TOOLCRIB_SANDBOX_ENGINE: engine,
      }
      const options = { cwd: project, uid: somebody, env }
      if (mode === 'required') await toolcrib(['lock', '--json'], options)
      const ran = await toolcrib(['run', 'hostile', '--json'], options)
      const output = JSON.stringify(ran.json)
      expect(output).not.toContain(grounds.canary)
      const changed = mode === 'required' ? [`a lock file was made`] : []
      expect(grounds.damage().filter((what) => !changed.includes(what))).toEqual([])
      // What it could make on its layer is judged as a whole: links that lead out are among it.
      const code = ran.json.error?.code
      expect(['PATH_OUTSIDE', 'SANDBOX_UNAVAILABLE', undefined], output.slice(0, 2_000)).toContain(code)
      if (code === 'SANDBOX_UNAVAILABLE') return expect(mode).toBe('required')
      const lines = ran.json.logs.map((entry: { message: string }) => entry.message)
      const results = readResults([...lines, JSON.stringify(ran.json.value)].join('\n'))
      expect(results.size).toBe(cases.length)
      const escaped = [...results.values()].filter((result) => result.escaped)
      expect(escaped.map(({ index }) => cases[index]!.name)).toEqual([])
      tally(`${language} as an ordinary user, behind ${engine} (${mode})`, cases, [...results.values()])
    },
    240_000,
  )
})
