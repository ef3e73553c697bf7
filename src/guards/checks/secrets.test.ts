import { expect, it } from 'vitest'
import { callOf, cribWith, cribWithTool, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import { libraryPrincipal } from '../../tool/principal.ts'
import { secretNamesOf, secrets } from './secrets.ts'

async function checkOf(given: object = {}) {
  const { config } = await cribWith({ tools: given })
  const asked: string[][] = []
  const check = secrets({
    config,
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
