// Skills whose frontmatter is computed: what the module says of them counts from the first call or description on.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makePrincipal } from '../../../src/tool/principal.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'
import { mw, skillCrib } from './skill-crib.ts'

const numbered = `import { writeFileSync } from 'node:fs'
try { writeFileSync(new URL('./ran', import.meta.url), '') } catch {}
const params = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }
export const frontmatter = {
  name: 'other-name',
  description: ['Adds', 'one'].join(' '),
  'allowed-tools': 'nobody',
  metadata: {
    params,
    get returns() { return { type: 'integer' } },
    tags: ['My Math'],
    a: { level: 2 },
  },
}
export default (ctx, { n, bad, to }) => to ? ctx.manager.invoke(to) : bad ? 'text' : n + 1
`

function noted(crib: Awaited<ReturnType<typeof skillCrib>>) {
  return crib.crib.problems
    .filter(({ toolId }) => toolId === 'plus')
    .map(({ code, severity, line }) => [code, severity, line])
}

describe('computed frontmatter', () => {
  it('is not looked at to list, find, dry-run or check', async () => {
    verifies('S17', 'S16')
    const crib = await skillCrib({ 'plus.skill.js': numbered })
    crib.crib.list({ all: true })
    expect(crib.crib.find('plus')).toMatchObject({ params: null, description: '', tags: [] })
    await crib.crib.check()
    await crib.crib.dryRun('plus', {})
    expect(existsSync(join(crib.root, 'skills/ran'))).toBe(false)
    expect(noted(crib)).toEqual([['FRONTMATTER_DYNAMIC', 'warning', 6]])
  })

  it('counts in the very first call: schemas, allow list and metadata keys', async () => {
    verifies('S17')
    const files = { 'plus.skill.js': numbered, 'a.skill.js': mw('a'), 'b.skill.js': 'export default () => 1' }
    const crib = await skillCrib(files)
    expect(await crib.value('plus', { n: 1 })).toBe(2)
    expect(await crib.log()).toEqual(['a-in', 'a-out'])
    expect(await (await skillCrib(files)).code('plus', { n: 'x' })).toBe('PARAMS_INVALID')
    expect(await (await skillCrib(files)).code('plus', { n: 1, bad: true })).toBe('RESULT_INVALID')
    expect(await (await skillCrib(files)).code('plus', { n: 1, to: 'b' })).toBe('TOOL_DENIED')
    expect(await (await skillCrib(files)).drive('plus', { n: 4 })).toMatchObject({ result: 5 })
  })

  it('counts in every list afterwards; another name is ignored with a warning', async () => {
    verifies('S17')
    const crib = await skillCrib({ 'plus.skill.js': numbered })
    const changes: string[] = []
    crib.crib.on('tool-changed', ({ id, change }) => changes.push(`${id} ${change}`))
    await crib.value('plus', { n: 1 })
    expect(changes).toEqual(['plus changed'])
    expect(crib.crib.find('plus')).toMatchObject({
      id: 'plus',
      description: 'Adds one',
      params: { required: ['n'] },
      tags: ['my-math'],
    })
    expect(await crib.value('agent-discover', { tags: ['my-math'] })).toMatchObject({
      tools: [{ name: 'plus', description: 'Adds one' }],
    })
    expect(await crib.code('other-name', { n: 1 })).toBe('TOOL_NOT_FOUND')
    expect(noted(crib)).toEqual([
      ['FRONTMATTER_DYNAMIC', 'warning', 6],
      ['SKILL_NAME_IGNORED', 'warning', 6],
    ])
    await crib.crib.reload()
    expect(crib.crib.find('plus').description).toBe('Adds one')
  })

  it('counts in a description, and then for whoever may see it', async () => {
    verifies('S17', 'S86')
    const crib = await skillCrib({
      'plus.skill.js': numbered,
      'secret.skill.js': `const hidden = 'hidden'\nexport const frontmatter = { metadata: { visibility: hidden } }\nexport default () => 1`,
    })
    expect(await crib.value('skill-describe', { ref: 'plus' })).toMatchObject({
      description: 'Adds one',
      params: { required: ['n'] },
      returns: { type: 'integer' },
      allowedTools: 'nobody',
    })
    const principal = makePrincipal({ surface: 'http' })
    expect(await crib.crib.call(crib.crib.find('secret'), {}, { principal })).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND' },
    })
    expect(crib.crib.find('secret').hidden).toBe(true)
    expect(await crib.value('secret')).toBe(1)
  })

  it('of a middleware counts in its first run: what it is given by default, whom it may call', async () => {
    verifies('S17')
    const crib = await skillCrib({
      'job.skill.js': `export const frontmatter = { metadata: { params: { type: 'object' }, level: null } }\nexport default () => 1`,
      'level.skill.js': `const five = 5\nexport const frontmatter = { metadata: { role: 'middleware', $self: { default: { n: five } } } }\nexport default (ctx, args) => { (ctx.globals.log ??= []).push(JSON.stringify(args)) }`,
    })
    await crib.value('job')
    await crib.value('job')
    expect(await crib.log()).toEqual(['{"n":5}', '{"n":5}'])
    const bound = await skillCrib({
      'job.skill.js': `export const frontmatter = { metadata: { params: { type: 'object' }, level: null } }\nexport default () => 1`,
      'level.skill.js': `const nobody = 'nobody'\nexport const frontmatter = { 'allowed-tools': nobody, metadata: { role: 'middleware' } }\nexport default (ctx) => ctx.manager.invoke('other')`,
      'other.skill.js': 'export default () => 2',
    })
    expect(await bound.code('job')).toBe('TOOL_DENIED')
  })

  it('is read anew when the file changes', async () => {
    verifies('S17', 'S18')
    const text = (words: string) =>
      `const words = ${JSON.stringify(words)}\nexport const frontmatter = { description: words }\nexport default () => words`
    const crib = await skillCrib({ 'x.skill.js': text('one') })
    await crib.value('x')
    expect(crib.crib.find('x').description).toBe('one')
    crib.write({ 'x.skill.js': text('two and more') })
    await crib.crib.reload()
    expect(crib.crib.find('x').description).toBe('')
    expect(await crib.value('x')).toBe('two and more')
    expect(crib.crib.find('x').description).toBe('two and more')
  })

  it.each([
    ['a getter that throws', `{ get description() { throw new Error('no luck') } }`, /no luck/],
    ['a circle', `(() => { const a = {}; a.metadata = a; return a })()`, /circular/],
    ['a list', `[1].concat(2)`, /not an object/],
    ['a big number', `{ metadata: { n: BigInt(1) } }`, /BigInt/],
  ])('that is %s takes the skill out of service with its line', async (_what, value, words) => {
    verifies('S17')
    const crib = await skillCrib({
      'x.skill.js': `\nexport const frontmatter = ${value}\nexport default () => 1\n`,
    })
    const outcome = await crib.run('x')
    expect(outcome).toMatchObject({ error: { code: 'TOOL_INVALID', message: expect.stringMatching(words) } })
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining('x.skill.js:2') } })
  })

  it('with a schema that does not compile takes the skill out of service', async () => {
    verifies('S17', 'S13')
    const crib = await skillCrib({
      'x.skill.js': `const type = 'strin'\nexport const frontmatter = { metadata: { params: { type } } }\nexport default () => 1\n`,
    })
    expect(await crib.run('x')).toMatchObject({
      error: { code: 'TOOL_INVALID', message: expect.stringContaining('SCHEMA_INVALID') },
    })
  })

  it('whose module cannot be imported says so, whatever the arguments are', async () => {
    verifies('S17')
    const crib = await skillCrib({
      'x.skill.js': `import './gone.js'\nexport const frontmatter = { ...{} }\nexport default () => 1\n`,
    })
    expect(await crib.code('x', { a: 1 })).toBe('LOAD_FAILED')
    crib.write({ 'skills/gone.js': 'export {}' })
    expect(await crib.value('x')).toBe(1)
  })

  it('is not computed for a file that may not run', async () => {
    verifies('S17')
    const crib = await skillCrib({ 'plus.skill.js': numbered }, { trust: 'require' })
    expect(await crib.code('plus', { n: 1 })).toBe('TRUST_UNSIGNED')
    expect(await crib.value('skill-describe', { ref: 'plus' })).not.toHaveProperty('params')
    expect(existsSync(join(crib.root, 'skills/ran'))).toBe(false)
  })

  it('that never ends does not hold up who gives up waiting', async () => {
    verifies('S17')
    const crib = await skillCrib({
      'x.skill.js':
        'await new Promise(() => setInterval(() => {}, 1e6).unref())\nexport const frontmatter = { ...{} }\nexport default () => 1\n',
    })
    const stop = new AbortController()
    const called = crib.crib.call(crib.crib.find('x'), {}, { signal: stop.signal })
    stop.abort()
    expect(await called).toMatchObject({ ok: false })
  })

  it('gives flags of the command line their types', async () => {
    verifies('S17', 'S64')
    const cwd = tempFolder({ 'skills/plus.skill.js': numbered })
    expect(await toolcrib(['run', 'plus', '--n', '41', '-q'], { cwd })).toMatchObject({
      code: 0,
      stdout: '42\n',
    })
  })
})
