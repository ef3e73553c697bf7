// `toolcrib agent` and `toolcrib run` with a model, as built: what goes where, when, and with which exit code.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'
import { modelServer } from './skills/model-server.ts'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const patient = { timeout: 20_000 }

const main = '---\nname: app\ndescription: The app\nmetadata: {role: main}\n---\nYou are the app.\n'
const add = `export const frontmatter = { name: 'add', metadata: { params: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } } }
export default (ctx, { a, b }) => a + b
`
const echo = `---
name: echo
description: Says it again
metadata:
  params: {type: object, required: [n], properties: {n: {type: integer}}}
---
Say :arg[n].
`

async function cribWith(script: Parameters<typeof modelServer>[0], more: object = {}, config: object = {}) {
  const model = await modelServer(script)
  const settings = { models: model.models('openai-compatible', more), ...config }
  const cwd = tempFolder({
    'toolcrib.yaml': JSON.stringify(settings),
    'main.skill.md': main,
    'skills/add.skill.js': add,
    'skills/echo.skill.md': echo,
  })
  return { cwd, model }
}

/** The program with its output at hand while it runs. */
function start(args: readonly string[], cwd: string): { child: ChildProcess; out(): string; err(): string } {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLCRIB_TRUST_FOLDER: '1' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stdout!.on('data', (chunk) => (out += chunk))
  child.stderr!.on('data', (chunk) => (err += chunk))
  return { child, out: () => out, err: () => err }
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode)
    else child.once('close', resolve)
  })

describe('toolcrib agent', () => {
  it('does a task in words; the answer alone is on stdout', async () => {
    verifies('S80', 'S81')
    const { cwd, model } = await cribWith([
      { text: 'Adding.', calls: [{ name: 'add', args: { a: 2, b: 3 } }] },
      { text: 'It is 5.' },
    ])
    const ran = await toolcrib(['agent', 'What is 2 and 3?'], { cwd })
    expect(ran).toMatchObject({ code: 0, stdout: 'It is 5.\n' })
    expect(ran.stderr).toContain('Adding.\n')
    expect(ran.stderr).toContain('agent calls add')
    expect(model.asked[0]!.messages).toEqual([{ role: 'user', text: 'What is 2 and 3?' }])
    expect(model.asked[0]!.system).toContain(cwd)
    expect(model.asked[1]!.messages.at(-1)!.text).toBe('5')
  })

  it('shows the text while the model writes it', async () => {
    verifies('S81')
    let release = () => {}
    const hold = new Promise<void>((resolve) => {
      release = resolve
    })
    const { cwd } = await cribWith([{ text: 'first second', hold }])
    const { child, out, err } = start(['agent', 'Say two words.'], cwd)
    await vi.waitUntil(() => err().includes('first'), patient)
    expect(err()).not.toContain('second')
    expect(out()).toBe('')
    release()
    expect(await ended(child)).toBe(0)
    expect(out()).toBe('first second\n')
  })

  it('runs a skill by name with its parameters, and gives the outcome as one JSON document', async () => {
    verifies('S77')
    const { cwd, model } = await cribWith([{ text: 'seven', input: 100, output: 20 }], {
      price: { input: 10, output: 100 },
    })
    const ran = await toolcrib(['agent', 'echo', '--n', '7', '--json'], { cwd })
    expect(ran.json).toMatchObject({
      ok: true,
      value: 'seven',
      meta: { model: 'scripted', turns: 1, tokens: { input: 100, output: 20 } },
      cost: { amount: 0.003, currency: 'USD' },
    })
    expect(model.asked[0]!.system).toContain('Say 7.')
  })

  it('keeps to the tools and limits it is given', async () => {
    verifies('S63', 'S81')
    const { cwd, model } = await cribWith([{ calls: [{ name: 'rye_file-system_list', args: {} }] }])
    const args = ['agent', 'Do it again and again.', '--tools', 'add', '--max-turns', '2', '--json']
    const ran = await toolcrib(args, { cwd })
    expect(ran).toMatchObject({ code: 6, json: { error: { code: 'TURNS_EXCEEDED' } } })
    expect(model.asked).toHaveLength(2)
    expect(model.asked[0]!.tools).toEqual(['add'])
    expect(model.asked[1]!.messages.at(-1)!.text).toContain('TOOL_DENIED')
  })

  it('shows in a dry run what would run, and asks nobody', async () => {
    const { cwd, model } = await cribWith([{ text: 'no' }])
    const ran = await toolcrib(['agent', 'echo', '--n', '1', '--dry-run', '--json'], { cwd })
    expect(ran.json).toMatchObject({ ok: true, runtime: 'agent', plan: { skill: 'echo', model: 'scripted' } })
    expect(ran.json.plan.tools).toContain('add')
    expect(model.asked).toEqual([])
  })

  it('asks nobody for approval without a terminal; --yes approves', async () => {
    verifies('S80')
    const script = [{ calls: [{ name: 'add', args: { a: 1, b: 1 } }] }, { text: 'done' }]
    const { cwd, model } = await cribWith(script, {}, { approve: ['add'] })
    await toolcrib(['agent', 'Add one and one.'], { cwd })
    expect(model.asked[1]!.messages.at(-1)!.text).toContain('APPROVAL_DENIED')
    model.asked.length = 0
    await toolcrib(['agent', 'Add one and one.', '--yes'], { cwd })
    expect(model.asked[1]!.messages.at(-1)!.text).toBe('2')
  })

  it('stops at once when it is interrupted', async () => {
    const hold = new Promise<void>(() => {})
    const { cwd } = await cribWith([{ text: 'never ending', hold }])
    const { child, err } = start(['agent', 'Never end.'], cwd)
    await vi.waitUntil(() => err().includes('never'), patient)
    child.kill('SIGINT')
    expect(await ended(child)).toBe(130)
    expect(err()).toContain('CANCELLED')
  })

  it.each([
    ['no task', ['agent'], 2, 'task or skill'],
    ['a word that is no skill', ['agent', 'ecko'], 3, 'Did you mean "echo"?'],
    ['a tool', ['agent', 'rye/file-system/list'], 2, 'toolcrib run rye/file-system/list'],
    ['a number that is none', ['agent', 'echo', '--n', '1', '--max-turns', 'many'], 2, '--max-turns'],
    ['a model that is not there', ['agent', 'echo', '--n', '1', '--model', 'skripted'], 7, '"scripted"'],
    ['parameters for a task', ['agent', 'two words', '--n', '1'], 2, 'takes no parameters'],
    ['settings of a model for code', ['agent', 'add', '--model', 'scripted'], 2, 'asks no model'],
    ['wrong parameters', ['agent', 'echo', '--n', 'x'], 4, '/n must be integer'],
  ])('refuses %s with a way out', async (_what, args, code, words) => {
    const { cwd, model } = await cribWith([{ text: 'no' }])
    const ran = await toolcrib(args, { cwd })
    expect(ran.code).toBe(code)
    expect(ran.stderr).toContain(words)
    expect(model.asked).toEqual([])
  })
})

describe('toolcrib run', () => {
  it('runs the main skill without a name', async () => {
    verifies('K58', 'S84')
    const { cwd, model } = await cribWith([{ text: 'I am.' }])
    expect(await toolcrib(['run'], { cwd })).toMatchObject({ code: 0, stdout: 'I am.\n' })
    expect(model.asked[0]!.system).toContain('You are the app.')
  })

  it('says without a model what to add', async () => {
    verifies('K55', 'S78')
    const cwd = tempFolder({ 'main.skill.md': main })
    const ran = await toolcrib(['run', '--json'], { cwd })
    expect(ran).toMatchObject({ code: 7, json: { error: { code: 'MODEL_MISSING' } } })
    expect(ran.json.error.message).toMatch(/toolcrib\.yaml.*models:/s)
  })

  it('tells a setting that cannot work before anything is asked', async () => {
    verifies('S76')
    const cwd = tempFolder({
      'toolcrib.yaml': 'models:\n  default: { provider: openai-compatible, model: x }\n',
      'main.skill.md': main,
    })
    const ran = await toolcrib(['run', '--json'], { cwd })
    expect(ran).toMatchObject({ code: 4, json: { error: { code: 'CONFIG_INVALID' } } })
    expect(ran.stdout).toContain('baseURL')
  })
})
