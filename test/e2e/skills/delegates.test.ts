import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, skillCrib, skillsHost } from './skill-crib.ts'

const greeting = 'inline://code,export default async function(ctx, { name }) { return `Hello, ${name}!`; }'

function base64(ref: string): string {
  return `inline://base64,${Buffer.from(ref).toString('base64')}`
}

function wrapped(levels: number): string {
  let ref = greeting
  for (let level = 0; level < levels; level++) ref = base64(ref)
  return ref
}

/** A markdown skill with a delegate, written as double-quoted YAML. */
function delegating(delegate: string, more = ''): string {
  return `---\nname: x\nmetadata:\n  params: {type: object}\n  delegate: ${JSON.stringify(delegate)}\n${more}---\nYou greet.\n`
}

describe('inline code', () => {
  it('answers for a markdown skill; an escaped template is the code’s own', async () => {
    verifies('K10', 'S35', 'S47', 'S48', 'S49', 'S67', 'S68')
    const crib = await skillCrib({
      'escaped.skill.md': `---\nname: escaped\nmetadata:\n  params: {type: object}\n  delegate: "inline://code,export default async function(ctx, { name }) { return \`Hello, \\\\\${name}!\`; }"\n---\nGreet.\n`,
      'bare.skill.md': `---\nname: bare\nmetadata:\n  params: {type: object}\n  delegate: "inline://code,export default async function(ctx, { name }) { return \`Hello, \${name}!\`; }"\n---\nGreet.\n`,
    })
    expect(await crib.value('escaped', { name: 'Ada' })).toBe('Hello, Ada!')
    expect(await crib.value('bare', { name: 'Ada' })).toBe('Hello, !')
  })

  it('may be base64, up to 16 levels deep', async () => {
    verifies('K11', 'K12', 'S70')
    const crib = await skillCrib({
      'one.skill.md': delegating(wrapped(1)).replace('name: x', 'name: one'),
      'two.skill.md': delegating(wrapped(2)).replace('name: x', 'name: two'),
      'sixteen.skill.md': delegating(wrapped(16)).replace('name: x', 'name: sixteen'),
      'seventeen.skill.md': delegating(wrapped(17)).replace('name: x', 'name: seventeen'),
    })
    for (const name of ['one', 'two', 'sixteen'])
      expect(await crib.drive(name, { name: 'Ada' })).toMatchObject({ result: 'Hello, Ada!' })
    expect(await crib.code('seventeen', { name: 'Ada' })).toBe('INLINE_INVALID')
  })

  it('keeps its commas and its module state', async () => {
    verifies('K14', 'S67', 'S71')
    const crib = await skillCrib({
      'counter.skill.md': delegating(
        'inline://code,let count = 0, step = 1; export default function(ctx, args) { count += step; return count }',
      ).replace('name: x', 'name: counter'),
    })
    expect(await crib.value('counter')).toBe(1)
    expect(await crib.value('counter')).toBe(2)
  })

  it('leaves no file behind and is in no list', async () => {
    verifies('K15', 'S68', 'S71')
    const crib = await skillCrib({ 'x.skill.md': delegating('inline://code,export default () => 1') })
    // A place of its own: other tests make and remove files in the common one all the time.
    const temporary = mkdtempSync(join(tmpdir(), 'skills-'))
    vi.stubEnv('TMPDIR', temporary)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(temporary, { recursive: true })
    })
    const files = () =>
      [crib.root, temporary].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    const before = files()
    expect(await crib.value('x')).toBe(1)
    const left = files().filter((file) => !before.includes(file) && !file.startsWith('.toolcrib'))
    // A fence without layers shows the protected names as empty files while its process lives.
    // The state folder of the user is there too: the home folder is the crib here, so layers lie among temporary files.
    const shown =
      skillsHost === 'never' ? /^(\.ai|\.config|\.local|toolcrib\.(yaml|lock)|toolcrib-\d+)/ : /^$/
    expect(left.filter((file) => !shown.test(file))).toEqual([])
    expect(crib.crib.list({ all: true }).filter((tool) => tool.id.includes('inline'))).toEqual([])
  })

  it.each([
    ['code without a default export', 'inline://code,export const a = 1'],
    ['code that does not parse', 'inline://code,export default ((('],
    ['code that imports a relative path', 'inline://code,import "./x.js"; export default () => 1'],
    ['an unknown tag', 'inline://foo,bar'],
    ['no comma', 'inline://code'],
    ['base64 of other text', `inline://base64,${Buffer.from('hello').toString('base64')}`],
    ['text that is no base64', 'inline://base64,***'],
    ['base64 of bytes that are no text', `inline://base64,${Buffer.from([0xff, 0xfe]).toString('base64')}`],
  ])('is INLINE_INVALID as %s', async (_what, ref) => {
    verifies('K16', 'S67', 'S70')
    const crib = await skillCrib({ 'x.skill.md': delegating(ref) })
    const [, tag, payload = ''] = /^inline:\/\/(\w+),?(.*)$/.exec(ref)!
    const outcome = await crib.run('x')
    if (outcome.ok) throw new Error('it ran')
    const { code: refused, message } = outcome.error
    expect(refused).toBe('INLINE_INVALID')
    expect(message).toContain(`x: the inline ${tag} ref "${payload.slice(0, 40)}" cannot be used: `)
    expect(message).toContain('/skills/x.skill.md:5)')
  })

  it('can import node: modules', async () => {
    verifies('S68')
    const crib = await skillCrib({
      'x.skill.md': delegating('inline://code,import { sep } from "node:path"; export default () => sep'),
    })
    expect(await crib.value('x')).toBe('/')
  })

  it('never takes data of the call, only configuration', async () => {
    verifies('K52', 'S49')
    const crib = await skillCrib({
      'x.skill.md': delegating('inline://code,export default () => "${args.n}"'),
      'y.skill.md': delegating(
        'inline://code,export default () => "${locals.config.greeting}"',
        '  config: {greeting: hi}\n',
      ).replace('name: x', 'name: y'),
      'z.skill.md': delegating('inline://code,export default () => "${$.args.n}"').replace(
        'name: x',
        'name: z',
      ),
    })
    expect(await crib.code('x', { n: '"; process.exit(); "' })).toBe('INLINE_INVALID')
    expect(await crib.value('y')).toBe('hi')
    expect(await crib.code('z', { n: 1 })).toBe('INLINE_INVALID')
  })

  it('runs under the allow list of the skill it stands in', async () => {
    verifies('S36')
    const crib = await skillCrib({
      'b.skill.js': code(anyParams, 'return "b"'),
      'c.skill.js': code(anyParams, 'return "c"'),
      'x.skill.md': `---\nname: x\nallowed-tools: b\nmetadata:\n  params: {type: object}\n  delegate: "inline://code,export default (ctx, { to }) => ctx.manager.invoke(to, {})"\n---\n`,
    })
    expect(await crib.value('x', { to: 'b' })).toBe('b')
    expect(await crib.code('x', { to: 'c' })).toBe('TOOL_DENIED')
  })

  it('cannot be named by a public caller', async () => {
    verifies('K33', 'S72')
    const crib = await skillCrib({})
    expect(await crib.code(greeting)).toBe('REF_INVALID')
    expect(await crib.code('foo://x')).toBe('REF_INVALID')
  })

  it('can be called by code, under the trust of its file', async () => {
    verifies('S72')
    const crib = await skillCrib({})
    expect(await crib.drive(greeting, { name: 'Ada' })).toMatchObject({ result: 'Hello, Ada!' })
  })
})

describe('a delegate', () => {
  it('may be a file beside the skill, plain code, TypeScript or another skill', async () => {
    verifies('K17', 'S2', 'S35')
    const crib = await skillCrib({
      'skills/order/SKILL.md':
        '---\nname: place-order\nmetadata:\n  params: {type: object}\n  delegate: ./lib/place.js\n---\n',
      'skills/order/lib/place.js': 'export default (ctx, args) => ({ placed: args.item })',
      'skills/typed/SKILL.md':
        '---\nname: typed\nmetadata:\n  params: {type: object}\n  delegate: ./lib/place.ts\n---\n',
      'skills/typed/lib/place.ts':
        'import { suffix } from "./suffix.ts"\nexport default (ctx: unknown, args: { item: string }): string => args.item + suffix',
      'skills/typed/lib/suffix.ts': 'export const suffix: string = "!"',
      'by-name.skill.md':
        '---\nname: by-name\nmetadata:\n  params: {type: object}\n  delegate: place-order\n---\n',
    })
    expect(await crib.value('place-order', { item: 'tea' })).toEqual({ placed: 'tea' })
    expect(await crib.value('typed', { item: 'tea' })).toBe('tea!')
    expect(await crib.value('by-name', { item: 'tea' })).toEqual({ placed: 'tea' })
  })

  it('that returns undefined goes on to the function', async () => {
    verifies('S35')
    const crib = await skillCrib({
      'job.skill.js': code(
        { ...anyParams, delegate: 'inline://code,export default () => undefined' },
        `return 'own'`,
      ),
      'other.skill.js': code(
        { ...anyParams, delegate: 'inline://code,export default () => null' },
        `return 'own'`,
      ),
    })
    expect(await crib.value('job')).toBe('own')
    expect(await crib.value('other')).toBe(null)
  })

  it('gets the arguments as they are, dollar keys included', async () => {
    verifies('S35')
    const crib = await skillCrib({
      'x.skill.md': '---\nname: x\nmetadata:\n  delegate: ./echo.js\n---\n',
      'skills/echo.js': 'export default (ctx, args) => args',
      'caller.skill.js': code(
        anyParams,
        // Behind the fence another call gets arguments of its own (G13).
        `const list = [{ $context: 1 }]\nconst given = await ctx.manager.invoke('x', list)\nreturn ${skillsHost === 'never' ? 'JSON.stringify(given) === JSON.stringify(list)' : 'given === list'}`,
      ),
    })
    expect(await crib.value('caller')).toBe(true)
  })

  it('that is another tool needs the permission of the declaring skill', async () => {
    verifies('S36')
    const skill = (name: string, list: string, ref: string) =>
      `---\nname: ${name}\nallowed-tools: "${list}"\nmetadata:\n  params: {type: object}\n  delegate: ${ref}\n---\n`
    const crib = await skillCrib({
      'b.skill.js': code(anyParams, 'return "b"'),
      'skills/own.js': 'export default () => "own"',
      'yes.skill.md': skill('yes', 'b', 'b'),
      'no.skill.md': skill('no', 'c', 'b'),
      'file.skill.md': skill('file', 'c', './b.skill.js'),
      'own.skill.md': skill('own', '', './own.js'),
    })
    expect(await crib.value('yes')).toBe('b')
    expect(await crib.code('no')).toBe('TOOL_DENIED')
    expect(await crib.code('file')).toBe('TOOL_DENIED')
    expect(await crib.value('own')).toBe('own')
  })

  it('passed on with $public is found from the file that declares it', async () => {
    verifies('S47')
    const crib = await skillCrib({
      'skills/base/base.skill.md':
        '---\nname: base\nmetadata:\n  delegate: ./lib.js\n  $public: [delegate]\n---\n',
      'skills/base/lib.js': 'export default () => "base lib"',
      'skills/heir/heir.skill.md': '---\nname: heir\nmetadata:\n  $inherit: base\n---\n',
      'skills/heir/lib.js': 'export default () => "heir lib"',
    })
    expect(await crib.value('heir')).toBe('base lib')
  })

  it('that is missing names the skill', async () => {
    verifies('S51')
    const crib = await skillCrib({ 'x.skill.md': '---\nname: x\nmetadata:\n  delegate: nowhere\n---\n' })
    expect(await crib.run('x')).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND', message: expect.stringContaining('skill "nowhere"') },
    })
  })
})

it('interpolates metadata with types, text, nulls and escapes', async () => {
  verifies('K52', 'S47', 'S48')
  const crib = await skillCrib({
    'show.skill.js': code({ role: 'middleware' }, 'ctx.globals.log.push(JSON.stringify(args))'),
    'job.skill.js': code(
      {
        ...anyParams,
        show: {
          v: '${args.n}',
          text: 'n=${args.n}',
          none: '${args.none}',
          inside: 'none=${args.none}.',
          literal: '\\${x}',
          map: 'is ${args.map}',
          again: '${args.evil}',
          '${key}': 1,
        },
      },
      'return 1',
    ),
  })
  await crib.value('job', { n: 3, map: { a: 1 }, evil: '${args.n}' })
  expect(JSON.parse((await crib.log())[0]!)).toEqual({
    v: 3,
    text: 'n=3',
    none: null,
    inside: 'none=.',
    literal: '${x}',
    map: 'is {"a":1}',
    again: '${args.n}',
    '${key}': 1,
  })
})

it('keeps the greeting of the source document working as it is written there', async () => {
  verifies('K11')
  const literal =
    'inline://base64,aW5saW5lOi8vY29kZSxleHBvcnQgZGVmYXVsdCBhc3luYyBmdW5jdGlvbihjdHgsIHsgbmFtZSB9KSB7IHJldHVybiBgSGVsbG8sICR7bmFtZX0hYDsgfQ=='
  const crib = await skillCrib({ 'greet.skill.md': delegating(literal).replace('name: x', 'name: greet') })
  expect(readFileSync(join(crib.root, 'skills/greet.skill.md'), 'utf8')).toContain('aW5saW5lOi8v')
  expect(await crib.drive('greet', { name: 'Ada' })).toMatchObject({ result: 'Hello, Ada!' })
})
