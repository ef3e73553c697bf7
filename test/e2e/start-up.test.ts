// What a start loads. Times say little on a busy machine; a library that a start does not need is seen on any.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli } from '../helpers/toolcrib.ts'

/** A crib with one tool, and a file to load first that writes down which packages are loaded until `until`. */
function prepared(until: string) {
  const root = tempFolder()
  mkdirSync(join(root, '.ai/tools/text'), { recursive: true })
  const tool = [
    'tool_type: script',
    'version: "1.0.0"',
    'category: text',
    'description: Says it',
    'executor_id: subprocess',
    'config: { command: echo }',
  ]
  writeFileSync(join(root, '.ai/tools/text/say.yaml'), tool.join('\n'))
  // Not in the crib: each new file in its folder would have it read again.
  const beside = tempFolder()
  const loaded = join(beside, 'loaded.json')
  const hook = join(beside, 'hook.cjs')
  writeFileSync(
    hook,
    `const note = () => require('node:fs').writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(Object.keys(require.cache)))
${until}`,
  )
  const packages = () => [
    ...new Set(
      (JSON.parse(readFileSync(loaded, 'utf8')) as string[]).flatMap(
        (file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
      ),
    ),
  ]
  /** The parts of the build that were loaded, without what tells one build from another. */
  const parts = () =>
    (JSON.parse(readFileSync(loaded, 'utf8')) as string[])
      .flatMap((file) => /([^/]+)-[\w-]{8}\.chunk\.js$/.exec(file)?.[1] ?? [])
      .sort()
  return {
    root,
    packages,
    parts,
    args: ['--require', hook, cli],
    env: { PATH: process.env['PATH'], HOME: root },
  }
}

it('lists a crib that is known from the last time without loading a single package', () => {
  const { root, packages, args, env } = prepared(`process.on('exit', note)`)
  for (let n = 0; n < 2; n++)
    expect(execFileSync(process.execPath, [...args, '-C', root, 'list'], { env }).toString()).toContain(
      'text/say',
    )
  expect(packages()).toEqual([])
})

it('lists such a crib without loading what only calls or a server need', () => {
  const { root, args, env, parts } = prepared(`process.on('exit', note)`)
  for (let n = 0; n < 2; n++) execFileSync(process.execPath, [...args, '-C', root, 'list'], { env })
  expect(parts()).toEqual(['beginning', 'core', 'rolldown-runtime'])
})

it('is ready to serve with no package loaded but the database, and nothing that only calls and answers need', async () => {
  const { root, packages, parts, args, env } = prepared(
    `const write = process.stdout.write; process.stdout.write = function (...given) { note(); process.stdout.write = write; return write.apply(this, given) }`,
  )
  execFileSync(process.execPath, [...args, '-C', root, 'list'], { env })
  const server = spawn(process.execPath, [...args, '-C', root, 'serve', '--json', '--port', '0'], { env })
  const exited = new Promise((resolve) => server.once('exit', resolve))
  await new Promise((resolve) => server.stdout.once('data', resolve))
  server.kill('SIGTERM')
  await exited
  expect(packages().filter((name) => !/^(@?libsql|@neon-rs|detect-libc)/.test(name))).toEqual([])
  expect(parts()).toContain('serving')
  for (const later of ['calling', 'registry', 'answering']) expect(parts()).not.toContain(later)
})
