import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { paramHeaders } from './param-headers.ts'

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
