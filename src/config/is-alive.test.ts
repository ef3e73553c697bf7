import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
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
    const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [text] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(text)
    const state = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]
    await expect.poll(state).toBe('Z')
    expect(isAlive(pid)).toBe(false)
  },
)
