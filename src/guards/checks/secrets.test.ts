import { expect, it } from 'vitest'
import { callOf, cribWith, cribWithTool, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { libraryPrincipal } from '../../tool/principal.ts'
import { secretNamesOf, secrets } from './secrets.ts'

async function checkOf(given: object = {}, unvouched: readonly string[] = []) {
  const { config, spaces, setAside } = await cribWith({ tools: given })
  const asked: string[][] = []
  const check = secrets({
    config,
    spaces,
    setAside,
    isVouched: ({ id }) => !unvouched.includes(id),
    declaredBy: (tool) => ({ ...tool, id: 'parent' }),
    async secretsOf(call) {
      asked.push([...secretNamesOf(call)])
      return { KEY: 'the value of it' }
    },
  })
  return { check, asked }
}

it('asks the store only for a tool that names secrets', async () => {
  const { check, asked } = await checkOf()
  const call = callOf()
  expect(check.check(call)).toBeUndefined()
  expect(asked).toEqual([])
  expect(call.secrets).toEqual({})
})

it('asks for those of the tool and those of its cascade, each once', async () => {
  const { check, asked } = await checkOf()
  const call = callOf({ secrets: ['KEY'] })
  call.metadata = { secrets: ['KEY', 'MORE', 7] }
  expect(await refusalBy(check, call)).toBeUndefined()
  expect(asked).toEqual([['KEY', 'MORE']])
  expect(call.secrets).toEqual({ KEY: 'the value of it' })
})

it.each([{ secrets: ['KEY'] }, { placeholders: ['KEY'] }])(
  'asks for what the operator gives a tool that names none: %j',
  async (given) => {
    const { check, asked } = await checkOf({ t: given })
    await refusalBy(check, callOf())
    expect(asked).toEqual([[]])
  },
)

it('refuses a definition that nobody vouches for, and says what would help', async () => {
  verifies('G19')
  const { check, asked } = await checkOf({}, ['t'])
  expect(await refusalBy(check, callOf({ secrets: ['KEY'] }))).toMatchObject({
    code: 'SECRET_MISSING',
    message: 't wants the secret KEY, and nobody vouches for t.',
    hint: expect.stringContaining('tools: { "t": { secrets: [KEY] } }'),
    details: { unvouched: 't', secrets: ['KEY'] },
  })
  expect(asked).toEqual([])
})

it('refuses what an unvouched definition above the tool names for it', async () => {
  verifies('G19')
  const { check } = await checkOf({}, ['parent'])
  const call = callOf({ secrets: ['KEY'] })
  expect(await refusalBy(check, call)).toBeUndefined()
  call.metadata = { secrets: ['MORE'] }
  expect(await refusalBy(check, call)).toMatchObject({ details: { unvouched: 'parent' } })
})

it.each([{ secrets: ['KEY'] }, { placeholders: ['KEY'] }])(
  'asks nobody to vouch where the settings name tool and secret: %j',
  async (given) => {
    verifies('G19')
    const { check, asked } = await checkOf({ t: given }, ['t'])
    expect(await refusalBy(check, callOf({ secrets: ['KEY'] }))).toBeUndefined()
    expect(asked).toEqual([['KEY']])
  },
)

it('takes the values out of what the call says from then on', async () => {
  const { check } = await checkOf()
  const call = callOf({ secrets: ['KEY'] })
  call.log('info', 'first the value of it')
  await refusalBy(check, call)
  call.log('info', 'then the value of it')
  expect(call.logs.map(({ message }) => message)).toEqual(['first the value of it', 'then [secret:KEY]'])
})

it('refuses with every name that is missing, and passes once they are there', async () => {
  const { crib, tool } = await cribWithTool({ secrets: ['ONE', 'TWO'] }, () => 'ran')
  expect(await crib.call(tool)).toMatchObject({
    error: {
      code: 'SECRET_MISSING',
      message: 't needs the secrets ONE, TWO.',
      hint: 'Store them with `toolcrib secrets set ONE`, `toolcrib secrets set TWO`.',
    },
  })
  const store = (await crib.crumbs.open()).secrets
  for (const name of ['ONE', 'TWO']) await store.set(name, 'long enough', libraryPrincipal)
  expect(await crib.call(tool)).toMatchObject({ ok: true, value: 'ran' })
})
