import { describe, expect, it } from 'vitest'
import { parseRef } from './ref.ts'

describe('parseRef', () => {
  it.each([
    ['utility/hello', { kind: 'name', text: 'utility/hello' }],
    ['deploy#rollback', { kind: 'name', text: 'deploy', action: 'rollback' }],
    ['tool:greet', { kind: 'name', text: 'greet' }],
    ['rye:a/b', { kind: 'format', format: 'rye', id: 'a/b' }],
    ['tools-json:notes/search', { kind: 'format', format: 'tools-json', id: 'notes/search' }],
    ['other:thing', { kind: 'format', format: 'other', id: 'thing' }],
    ['./x.skill.js', { kind: 'file', path: './x.skill.js' }],
    ['../x', { kind: 'file', path: '../x' }],
    ['/abs/x.py', { kind: 'file', path: '/abs/x.py' }],
    ['file:///abs/x%20y.py', { kind: 'file', path: '/abs/x y.py' }],
    ['mcp://server/tool', { kind: 'mcp', server: 'server', tool: 'tool' }],
    ['inline://code,x', { kind: 'inline', text: 'inline://code,x' }],
  ])('reads %s', (text, expected) => {
    expect(parseRef(text)).toEqual(expected)
  })

  it.each(['', 'foo://x', 'mcp://server', 'file:///a.js#b', 'file:///100%.py'])('refuses %j', (text) => {
    expect(() => parseRef(text)).toThrow(expect.objectContaining({ code: 'REF_INVALID' }))
  })
})
