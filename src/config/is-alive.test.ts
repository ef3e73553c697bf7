import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { isAlive } from './is-alive.ts'

it('is true of a process that runs and false of one that ended', async () => {
  expect(isAlive(process.pid)).toBe(true)
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(isAlive(child.pid!)).toBe(false)
})

it.skipIf(!existsSync('/proc/self/stat'))(
  'is false of one whose parent never asks how it ended',
  async () => {
    // The child ends when it may read no more: not before its parent is a program that asks after no child.
    const parent = spawn('/bin/sh', ['-c', 'cat <&3 & echo $!; exec sleep 60 3<&-'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [text] = (await once(parent.stdout!, 'data')) as [Buffer]
    const pid = Number(text)
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n')
    ;(parent.stdio[3] as Writable).end()
    const state = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]
    await expect.poll(state).toBe('Z')
    expect(isAlive(pid)).toBe(false)
  },
)
