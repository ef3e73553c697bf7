import { expect, it } from 'vitest'
import { readMessage } from './protocol.ts'

it.each([
  ['a value', '{"t":"result","id":1,"value":{"a":[1]}}'],
  ['JSON text', '{"t":"result","id":1,"json":"[1]"}'],
  ['an error', '{"t":"error","id":1,"message":"m","stack":"s"}'],
  ['what it does not know', '{"t":"pong","n":3,"more":true}'],
])('reads %s', (_, line) => {
  expect(readMessage(line, 100)).toEqual(JSON.parse(line))
})

it.each([
  ['no JSON', 'garbage'],
  ['no object', '[1]'],
  ['no type', '{"id":1}'],
  ['an unknown type', '{"t":"constructor"}'],
  ['a negative call', '{"t":"result","id":-1}'],
  ['a missing member', '{"t":"error","id":1,"message":"m"}'],
  ['a member of the prototype', '{"t":"log","id":1,"level":"toString","message":"m"}'],
  ['too long a text', `{"t":"error","id":1,"message":"${'x'.repeat(200)}","stack":""}`],
  ['too deep a value', `{"t":"result","id":1,"value":${'['.repeat(2_000)}${']'.repeat(2_000)}}`],
])('refuses %s', (_, line) => {
  expect(readMessage(line, 100)).toBeNull()
})
