import { describe, expect, it } from 'vitest'
import { callOf, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import { makePrincipal } from '../../tool/principal.ts'
import { allowedTools } from './allowed-tools.ts'

const check = allowedTools()
const bound = (list: string | undefined, more = {}) =>
  makePrincipal({ surface: 'tool', name: 'ada', allowedTools: list, ...more })

describe('an allow list', () => {
  it.each([
    [undefined, 'passes'],
    ['t', 'passes'],
    ['#safe', 'passes'],
    ['builtin:t', 'passes'],
    ['t(n=1)', 'passes'],
    ['t(n=2)', 'TOOL_DENIED'],
    ['other', 'TOOL_DENIED'],
    ['', 'TOOL_DENIED'],
    ['t(', 'TOOL_DENIED'],
  ])('of %j: a call of t with n=1 gets %s', async (list, expected) => {
    const call = callOf({ tags: ['safe'] }, { principal: bound(list), args: { n: 1 } })
    expect((await refusalBy(check, call))?.code ?? 'passes').toBe(expected)
  })

  it('is asked whether any arguments could pass where none are known yet', async () => {
    const principal = bound('t(n=2)')
    expect(await refusalBy(check, callOf({}, { principal, hasNoArgsYet: true }))).toBeUndefined()
    expect(await refusalBy(check, callOf({}, { principal }))).toMatchObject({ code: 'TOOL_DENIED' })
    const other = callOf({ id: 'other' }, { principal, hasNoArgsYet: true })
    expect(await refusalBy(check, other)).toMatchObject({ code: 'TOOL_DENIED' })
  })

  it('does not bind a skill in its calls of files it brings itself', async () => {
    expect(await refusalBy(check, callOf({}, { principal: bound(''), isOwnCode: true }))).toBeUndefined()
  })
})

it('names who may not call, by tool before person, and shows the list', async () => {
  expect(await refusalBy(check, callOf({}, { principal: bound('a b') }))).toMatchObject({
    message: 'ada may not call t with these arguments.',
    hint: 'Its allowed-tools list is "a b".',
    details: { tool: 't', allowedTools: 'a b' },
  })
  const skill = bound('a b', { tool: 'helper' })
  expect((await refusalBy(check, callOf({}, { principal: skill })))?.message).toMatch(/^helper may not/)
})
