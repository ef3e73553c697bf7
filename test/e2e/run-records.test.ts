// The record of a crib under load, which a thread of its own writes: nothing is lost, out of order or held up.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'

const library = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

/** A program with the built library in a folder of its own; `body` sees `crib`. Tells of each thread it starts. */
function program(body: string): { readonly root: string; start(): ReturnType<typeof spawn> } {
  const root = tempFolder()
  writeFileSync(
    join(root, 'program.mjs'),
    `import { openCrib } from ${JSON.stringify(library)}
     process.on('worker', () => console.log('thread'))
     const crib = await openCrib({ root: process.cwd() })
     crib.addTool({ id: 'echo', params: { type: 'object' }, fn: (params) => params })
     ${body}`,
  )
  return {
    root,
    start: () =>
      spawn(process.execPath, ['program.mjs'], {
        cwd: root,
        env: { PATH: process.env['PATH'], HOME: root },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
  }
}

async function outputOf(child: ReturnType<typeof spawn>): Promise<string> {
  let output = ''
  child.stdout!.on('data', (chunk) => {
    output += chunk
  })
  await once(child, 'close')
  return output
}

const verify = async (root: string) => (await toolcrib(['runs', 'verify', '--json'], { cwd: root })).json

describe('the run record of a busy program', () => {
  it('is written by one thread, complete and in order, when the crib is closed', async () => {
    const { root, start } = program(`
      for (let i = 0; i < 5000; i++) await crib.call('echo', { ['at' + i]: i })
      await crib.close()`)
    expect(await outputOf(start())).toBe('thread\n')
    expect(await verify(root)).toMatchObject({ ok: true, count: 5000 })
    const { json } = await toolcrib(['runs', '--limit', '3', '--json'], { cwd: root })
    const last = await toolcrib(['runs', 'show', json.runs[0].runId, '--json'], { cwd: root })
    expect(last.stdout).toContain('at4999')
  })

  it('is complete when the program ends without closing anything', async () => {
    const { root, start } = program(`
      for (let i = 0; i < 3000; i++) await crib.call('echo', {})`)
    expect(await outputOf(start())).toContain('thread')
    expect(await verify(root)).toMatchObject({ ok: true, count: 3000 })
  })

  it('is a good chain after kill -9', async () => {
    const { root, start } = program(`
      for (let i = 0; ; i++) {
        await crib.call('echo', {})
        if (i % 1000 === 999) { await new Promise(setImmediate); console.log('more') }
      }`)
    const child = start()
    let seen = 0
    for await (const chunk of child.stdout!) {
      seen += String(chunk).split('more').length - 1
      if (seen >= 5) child.kill('SIGKILL')
    }
    const verdict = await verify(root)
    expect(verdict.ok).toBe(true)
    expect(verdict.count).toBeGreaterThan(0)
  })

  it('does not stop the program from writing crumbs meanwhile', async () => {
    const { root, start } = program(`
      const crumbs = await crib.crumbs.store()
      const draft = (n) => ({ title: 't' + n, tags: ['t'], context: { n }, visibility: 'team' })
      const actor = { owner: 'o', name: 'n' }
      let made = 0
      for (let i = 0; i < 4000; i++) {
        await crib.call('echo', {})
        if (i % 20 === 0) { await crumbs.crumbs.create(draft(i), actor); made++ }
      }
      console.log('made', made)
      await crib.close()`)
    expect(await outputOf(start())).toContain('made 200')
    expect(await verify(root)).toMatchObject({ ok: true, count: 4000 })
  })
})

describe('the run record of a quiet program', () => {
  it('is written without a thread', async () => {
    const { root, start } = program(`
      for (let i = 0; i < 10; i++) await crib.call('echo', {})
      await crib.close()`)
    expect(await outputOf(start())).toBe('')
    expect(await verify(root)).toMatchObject({ ok: true, count: 10 })
  })
})
