import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { headerFault, headerMismatch, paramHeaders } from './param-headers.ts'

const params = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    inner: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
    bad: { type: 'string', 'x-mcp-header': 'no token' },
  },
}

describe('paramHeaders', () => {
  it('mirrors the arguments that the schema names, at any depth', () => {
    verifies('U3e')
    expect(paramHeaders({ params, args: { region: 'eu', inner: { n: 3 }, bad: 'x' } })).toEqual({
      'Mcp-Param-Region': 'eu',
      'Mcp-Param-N': '3',
    })
  })

  it('encodes what a header cannot hold, and leaves out what is not given', () => {
    expect(paramHeaders({ params, args: { region: 'zürich' } })).toEqual({
      'Mcp-Param-Region': `=?base64?${Buffer.from('zürich').toString('base64')}?=`,
    })
    expect(paramHeaders({ params, args: { region: null } })).toBeUndefined()
    expect(paramHeaders({ params: null, args: {} })).toBeUndefined()
  })
})

describe('headerMismatch', () => {
  const said = (header: string | null, region: unknown = 'Hello') =>
    headerMismatch({ params, args: { region } }, () => header)

  it('takes the same text, plain or in base64, and nothing else', () => {
    verifies('U3e')
    expect(said('Hello')).toBeUndefined()
    expect(said('=?base64?SGVsbG8=?=')).toBeUndefined()
    expect(said('=?base64?SGVsbG8=', '=?base64?SGVsbG8=')).toBeUndefined()
    expect(said('Hallo')).toContain('says "Hallo"')
    expect(said(null)).toContain('no header Mcp-Param-Region')
    expect(said('=?base64?SGVsbG8?=')).toContain('no valid base64')
  })

  it('compares numbers as numbers', () => {
    const call = { params, args: { inner: { n: 3 } } }
    expect(headerMismatch(call, () => '3.0')).toBeUndefined()
    expect(headerMismatch(call, () => '4')).toContain('says "4"')
  })
})

it.each([
  [{ type: 'string', 'x-mcp-header': '' }, 'no name of a header'],
  [{ type: 'string', 'x-mcp-header': 'My Region' }, 'no name of a header'],
  [{ type: 'array', 'x-mcp-header': 'Items' }, 'no text, whole number or boolean'],
  [{ type: 'string', 'x-mcp-header': 'REGION' }, 'two properties'],
])('headerFault names what cannot be: %j', (property, why) => {
  verifies('U3e')
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  expect(headerFault({ type: 'object', properties: { region, property } })).toContain(why)
  expect(headerFault({ type: 'object', properties: { region } })).toBeUndefined()
})
