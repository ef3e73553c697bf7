import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasFence } from '../../../test/helpers/fenced.ts'
import { RyeTestBed } from '../../../test/helpers/rye-test-bed.ts'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { isEngine } from '../../sandbox/engine.ts'
import type { Json } from '../../tool/json.ts'

let bed: RyeTestBed
let outside: string

beforeAll(() => {
  bed = new RyeTestBed()
  outside = mkdtempSync(join(tmpdir(), 'toolcrib-outside-'))
  writeFileSync(join(outside, 'secret'), 'secret')
  symlinkSync(outside, join(bed.dir, 'out'))
  symlinkSync(join(outside, 'secret'), join(bed.dir, 'link'))
  bed.write('.toolcrib/token', 'token')
  bed.write('toolcrib.yaml', 'grants: {}')
  bed.write('a/b.txt', 'text')
})
afterAll(async () => {
  rmSync(outside, { recursive: true })
  await bed.close()
})

function fs(config: { readonly [key: string]: Json }) {
  const file = bed.write('.ai/tools/f/tool.yaml', 'x: 1')
  return bed.toolOn({ executor_id: 'filesystem' }, null, file, {
    codeFile: null,
    config: { path: '{path}', ...config },
  })
}

const all = () => ({
  profile: {
    read: [bed.dir],
    write: [bed.dir],
    hidden: [join(bed.dir, '.toolcrib')],
    readOnly: [join(bed.dir, 'toolcrib.yaml')],
  },
})

describe('operations', () => {
  it('writes, appends, reads, lists and deletes', async () => {
    verifies('R37')
    const content = { content: '{text}' }
    expect(
      (await bed.run(fs({ operation: 'write', ...content }), { path: 'new/x.txt', text: 'één' }, all()))
        .value,
    ).toMatchObject({ success: true, bytes: 5 })
    await bed.run(fs({ operation: 'append', ...content }), { path: 'new/x.txt', text: '+' }, all())
    expect((await bed.run(fs({ operation: 'read' }), { path: 'new/x.txt' }, all())).value).toMatchObject({
      success: true,
      output: 'één+',
    })
    await bed.run(fs({ operation: 'write', ...content }), { path: 'new/x.txt', text: 's' }, all())
    expect(readFileSync(join(bed.dir, 'new/x.txt'), 'utf8')).toBe('s')
    expect((await bed.run(fs({ operation: 'list' }), { path: 'new' }, all())).value.output).toEqual(['x.txt'])
    expect((await bed.run(fs({ operation: 'delete' }), { path: 'new/x.txt' }, all())).value.success).toBe(
      true,
    )
    expect((await bed.run(fs({ operation: 'delete' }), { path: 'new' }, all())).value.success).toBe(true)
    expect((await bed.run(fs({ operation: 'read' }), { path: 'new/x.txt' }, all())).error).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('does not exist'),
    })
  })

  it('gives bytes that are no text as base64', async () => {
    writeFileSync(join(bed.dir, 'bin'), Buffer.from([0xff, 0]))
    expect((await bed.run(fs({ operation: 'read' }), { path: 'bin' }, all())).value).toMatchObject({
      encoding: 'base64',
      output: '/wA=',
    })
  })

  it('refuses an unknown operation, a missing value and too large a file', async () => {
    expect((await bed.run(fs({ operation: 'chmod' }), { path: 'a' }, all())).error).toMatchObject({
      code: 'TOOL_INVALID',
    })
    expect((await bed.run(fs({ operation: 'read' }), {}, all())).error).toMatchObject({
      code: 'PARAMS_INVALID',
    })
    const small = { profile: { ...all().profile, outputBytes: 2 } }
    expect((await bed.run(fs({ operation: 'read' }), { path: 'a/b.txt' }, small)).error).toMatchObject({
      code: 'OUTPUT_TOO_LARGE',
    })
  })
})

describe('confinement', () => {
  it.each(['../x', '/etc/passwd', 'a/../../x', 'out/secret', 'link', '/proc/self/environ'])(
    'does not read %s',
    async (path) => {
      verifies('R37')
      const ran = await bed.run(fs({ operation: 'read' }), { path }, all())
      expect(ran.error?.code).toBe('PATH_OUTSIDE')
      expect(ran.value).toBeUndefined()
    },
  )

  it.each(['../x', '/tmp/x', 'out/new', 'out/secret', 'link', 'out/deep/er/x'])(
    'does not write %s',
    async (path) => {
      verifies('R37')
      for (const operation of ['write', 'append']) {
        const ran = await bed.run(fs({ operation, content: 'gone' }), { path }, all())
        expect(ran.error?.code).toMatch(/PATH_OUTSIDE|TOOL_FAILED/)
      }
      expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
    },
  )

  it.each([
    ['a file', () => join(outside, 'secret')],
    ['a folder', () => outside],
    ['nothing', () => join(outside, 'none')],
  ])('deletes a link to %s and not what it leads to', async (_, target) => {
    const link = join(bed.dir, 'links/one')
    mkdirSync(join(bed.dir, 'links'), { recursive: true })
    symlinkSync(target(), link)
    expect((await bed.run(fs({ operation: 'delete' }), { path: 'links/one' }, all())).value.success).toBe(
      true,
    )
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined()
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  })

  it('is checked by a dry run too', async () => {
    verifies('R37')
    await expect(bed.plan(fs({ operation: 'read' }), { path: '/etc/passwd' })).rejects.toMatchObject({
      code: 'PATH_OUTSIDE',
    })
  })

  it('keeps the crib’s own files closed', async () => {
    expect(
      (await bed.run(fs({ operation: 'read' }), { path: '.toolcrib/token' }, all())).error,
    ).toMatchObject({ code: 'CAPABILITY_DENIED' })
    expect(
      (await bed.run(fs({ operation: 'write', content: 'x' }), { path: 'toolcrib.yaml' }, all())).error,
    ).toMatchObject({ code: 'CAPABILITY_DENIED' })
    expect((await bed.run(fs({ operation: 'list' }), { path: '.' }, all())).value.output).not.toContain(
      '.toolcrib',
    )
  })

  it('does no more than the profile allows', async () => {
    verifies('R37')
    const reader = { profile: { read: [join(bed.dir, 'a')] } }
    expect((await bed.run(fs({ operation: 'read' }), { path: 'a/b.txt' }, reader)).value.output).toBe('text')
    expect((await bed.run(fs({ operation: 'read' }), { path: 'toolcrib.yaml' }, reader)).error).toMatchObject(
      { code: 'CAPABILITY_DENIED' },
    )
    expect(
      (await bed.run(fs({ operation: 'write', content: 'x' }), { path: 'a/b.txt' }, reader)).error,
    ).toMatchObject({ code: 'CAPABILITY_DENIED' })
  })
})

describe('links', () => {
  const linked = (): string => `${bed.dir}-linked`
  const put = fs.bind(null, { operation: 'write', content: 'x' })

  it('make nothing where nothing may be, also when the project is known by one', async () => {
    verifies('R37')
    symlinkSync(bed.dir, linked())
    onTestFinished(() => rmSync(linked()))
    const profile = {
      read: [linked()],
      write: [linked()],
      hidden: [join(linked(), '.toolcrib')],
      readOnly: [join(linked(), 'toolcrib.lock')],
    }
    const outcome = await bed.run(put(), { path: 'toolcrib.lock' }, { profile })
    expect(outcome.error).toMatchObject({ code: 'CAPABILITY_DENIED' })
    expect(existsSync(join(bed.dir, 'toolcrib.lock'))).toBe(false)
  })

  it('in place of the settings cannot be taken away', async () => {
    verifies('R37')
    bed.write('conf/mine.yaml', '')
    symlinkSync('conf/mine.yaml', join(bed.dir, 'mine.yaml'))
    const profile = { ...all().profile, readOnly: [join(bed.dir, 'mine.yaml')] }
    for (const path of ['mine.yaml', 'conf/mine.yaml']) {
      const outcome = await bed.run(fs({ operation: 'delete' }), { path }, { profile })
      expect(outcome.error).toMatchObject({ code: 'CAPABILITY_DENIED' })
    }
  })
})

describe.skipIf(!hasFence)('behind the fence', () => {
  const toolText = (operation: string) =>
    [
      'tool_type: filesystem',
      'version: 1.0.0',
      'description: One operation on a file',
      'executor_id: rye/core/primitives/filesystem',
      `config: { operation: ${operation}, path: "{path}", content: text }`,
      'parameters: [{ name: path, type: string, description: Where, required: true }]',
    ].join('\n')

  it.each(['write', 'append', 'read', 'list', 'delete'])(
    '%s is carried out by a fenced process',
    async (operation) => {
      verifies('G12')
      const root = tempFolder({ [`.ai/tools/${operation}.yaml`]: toolText(operation), 'a/b.txt': 'here' })
      const crib = await openCrib({ root, cache: false, config: { sandbox: 'required' } })
      onTestFinished(() => crib.close())
      const outcome = await crib.call(operation, { path: operation === 'list' ? 'a' : 'a/b.txt' })
      expect(outcome).toMatchObject({ ok: true, enforcement: { dimensions: { read: 'enforced' } } })
      expect(outcome.enforcement?.layers.some(isEngine)).toBe(true)
    },
  )
})
