import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { isDeadNode, isLiveNode, newNode } from './node-identity.ts'

/** The name of a node, with a part of it replaced. */
const nodeWith = (index: number, part: string) => newNode().split('.').with(index, part).join('.')

it('is another one each time, of one machine and process', () => {
  const [a, b] = [newNode(), newNode()]
  expect(a).not.toBe(b)
  expect(a.split('.').slice(0, 3)).toEqual(b.split('.').slice(0, 3))
  expect(a.split('.')[1]).toBe(String(process.pid))
})

it('lives as long as its process', () => {
  const node = newNode()
  expect([isLiveNode(node), isDeadNode(node)]).toEqual([true, false])
})

it('is dead when its process has ended', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  const node = nodeWith(1, String(child.pid))
  expect([isLiveNode(node), isDeadNode(node)]).toEqual([false, true])
})

it('is dead when another process has its number', () => {
  const node = nodeWith(1, String(process.ppid)).split('.').with(2, '1').join('.')
  expect(isDeadNode(node)).toBe(true)
})

it.each([
  ['of another machine', nodeWith(0, 'elsewhere')],
  ['without a number', nodeWith(1, 'x')],
  ['of nobody', ''],
])('is not said to be dead when it is %s', (_, node) => {
  expect(isDeadNode(node)).toBe(false)
})

it('is not said to live when it is of another machine', () => {
  expect(isLiveNode(nodeWith(0, 'elsewhere'))).toBe(false)
})
