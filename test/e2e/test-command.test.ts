// `toolcrib test` through the built program: watch mode, JUnit, examples from recorded calls, and `serve --watch`.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const word = (text: string) =>
  `export const frontmatter = { name: 'word', description: 'Says a word', metadata: { params: { type: 'object', properties: { n: { type: 'integer' } } } } }\nexport default (ctx, { n = 1 }) => ({ word: '${text}'.repeat(n) })\n`
const examples = '# mine\n- title: once\n  params: { n: 1 }\n  expect: { word: hey }\n'

/** A program that stays, with what it printed so far. */
function started(args: readonly string[], cwd: string) {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
    })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    /** Waits for all of them, in whatever order: what comes on stdout and on stderr may overtake each other. */
    async shows(patterns: readonly RegExp[], from = 0): Promise<void> {
      for (const pattern of patterns)
        await expect.poll(() => text.slice(from), { timeout: 60_000, interval: 25 }).toMatch(pattern)
    },
    length: () => text.length,
    stop: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}

describe('test', () => {
  it('writes JUnit XML that names what failed', async () => {
    const cwd = tempFolder({
      'skills/word.skill.js': word('hey'),
      'skills/word.skill.examples.yaml': `${examples}- title: a "wrong" <one>\n  params: { n: 2 }\n  expect: { word: hey }\n`,
    })
    const { code } = await toolcrib(['test', '--junit', 'report.xml'], { cwd })
    const xml = readFileSync(join(cwd, 'report.xml'), 'utf8')
    expect(code).toBe(1)
    expect(xml).toContain('tests="2" failures="1" skipped="0"')
    expect(xml).toContain('name="a &quot;wrong&quot; &lt;one&gt;"')
    expect(xml).toContain('expected &quot;hey&quot;, got &quot;heyhey&quot;')
  })

  it('lets a broken examples file fail its own tool only', async () => {
    const cwd = tempFolder({
      'skills/word.skill.js': word('hey'),
      'skills/word.skill.examples.yaml': '- [',
      '.ai/tools/say.yaml':
        'tool_id: say\ntool_type: script\nversion: "1.0.0"\ncategory: ""\ndescription: says\nexecutor_id: subprocess\nconfig: { command: echo, args: [hey] }\ndocumentation: { examples: [{ title: says hey, params: {}, expect: { output: hey }, match: partial }] }\n',
    })
    const { json } = await toolcrib(['test', '--json'], { cwd })
    expect(json).toMatchObject({ passed: 1, failed: 1 })
  })

  it('takes a key nobody knows for a mistake', async () => {
    const cwd = tempFolder({
      'skills/word.skill.js': word('hey'),
      'skills/word.skill.examples.yaml': `${examples}- parms: { n: 2 }\n`,
    })
    const { json } = await toolcrib(['test', '--json'], { cwd })
    expect(json).toMatchObject({
      failed: 1,
      results: [{ error: { message: expect.stringContaining('example 2 has an unknown key "parms"') } }],
    })
  })

  it('makes an example of a recorded call, and keeps what the file says', async () => {
    const cwd = tempFolder({
      'toolcrib.yaml': 'audit: { params: full }\n',
      'skills/word.skill.js': word('hey'),
      'skills/word.skill.examples.yaml': examples,
    })
    const { runId } = (await toolcrib(['run', 'word', '--n', '3', '--json'], { cwd })).json
    const { json, code } = await toolcrib(['test', '--from-run', runId, '--json'], { cwd })
    expect(code).toBe(0)
    expect(json).toMatchObject({ passed: 2, failed: 0 })
    const file = readFileSync(join(cwd, 'skills/word.skill.examples.yaml'), 'utf8')
    expect(file).toContain('# mine')
    expect(file).toContain('heyheyhey')
  })

  it('says so when a call was recorded only by shape', async () => {
    const cwd = tempFolder({ 'skills/word.skill.js': word('hey') })
    const { runId } = (await toolcrib(['run', 'word', '--n', '3', '--json'], { cwd })).json
    const ran = await toolcrib(['test', '--from-run', runId], { cwd })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('recorded only by shape')
    expect(ran.stderr).toContain('audit: { params: full }')
  })

  it('does not know a run that never was', async () => {
    expect((await toolcrib(['test', '--from-run', 'nope'], { cwd: tempFolder() })).code).toBe(3)
  })

  it('tests again what is saved', { timeout: 200_000 }, async () => {
    const cwd = tempFolder({
      'skills/word.skill.js': word('hey'),
      'skills/word.skill.examples.yaml': examples,
    })
    const watching = started(['test', '--watch'], cwd)
    await watching.shows([/1 passed/, /Watching/])
    const before = watching.length()
    writeFileSync(join(cwd, 'skills/word.skill.js'), word('no'))
    await watching.shows([/failed word once/, /0 passed, 1 failed/], before)
    const after = watching.length()
    writeFileSync(join(cwd, 'skills/word.skill.examples.yaml'), examples.replace('hey', 'no'))
    await watching.shows([/passed word once/, /1 passed, 0 failed/], after)
    expect(await watching.stop()).toBe(0)
  })
})

describe('serve --watch', () => {
  it('checks, frames and tests what is saved', { timeout: 200_000 }, async () => {
    const cwd = tempFolder({
      'skills/word.skill.js': word('hey'),
      'skills/word.skill.examples.yaml': examples,
    })
    const serving = started(['serve', '--port', '0', '--watch'], cwd)
    await serving.shows([/is ready/, /Watching/])
    const before = serving.length()
    writeFileSync(join(cwd, 'skills/word.skill.js'), word('hi'))
    await serving.shows([/word\.skill\.js → word \(\d+ ms after the save\)[\s\S]*failed word once/], before)
    const after = serving.length()
    writeFileSync(join(cwd, 'skills/word.skill.js'), word('hey').replace("name: 'word'", "name: 'Wo rd'"))
    await serving.shows([/SKILL_NAME_INVALID[\s\S]*> 1 \| export const frontmatter/], after)
    expect(await serving.stop()).toBe(0)
  })
})
