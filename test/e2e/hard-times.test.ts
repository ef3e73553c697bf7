// A server whose machine is in trouble: one core, a slow disk, a disk that fills up, a clock that jumps. It answers what
// it can, says plainly what it cannot, and comes back by itself.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ServeProcess, serveProcess } from '../helpers/serve-process.ts'
import { fill, smallDisk } from '../helpers/small-disk.ts'
import { tempFolder } from '../helpers/temp-folder.ts'

/** Starts a process for every call; writes as many bytes as it is told. */
const tool = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category text
# @description Writes bytes of chance to a file
# @param {string} file - The file
# @param {integer} bytes - How many
set -eu
mkdir -p "$(dirname "$PARAM_FILE")"
head -c "$PARAM_BYTES" /dev/urandom > "$PARAM_FILE"
printf '{"success": true, "data": "written"}\\n'
`

function cribIn(root: string): string {
  for (const [path, text] of Object.entries({
    '.ai/tools/text/bytes.sh': tool,
    'toolcrib.yaml': 'grants: { default: [fs.read, fs.write] }\n',
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const call = (server: ServeProcess, file: string, bytes = 10) =>
  server.ask('POST', '/api/tools/text/bytes/call', { params: { file, bytes } })

/** Whether a program does as it is asked here. */
function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

describe('a server in trouble', { timeout: 300_000 }, () => {
  it('answers 200 calls at once that each start a process, on one core', async (context) => {
    if (!has('taskset', '-c', '0', 'true')) return context.skip('there is no taskset')
    const root = cribIn(realpathSync(tempFolder()))
    const server = await serveProcess(root, [], {}, ['taskset', '-c', '0'])
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => call(server, `out/${n}.txt`)))
    const refused = answers.filter(({ body }) => !body.ok).map(({ body }) => body.error ?? body)
    expect(refused).toEqual([])
    for (let n = 0; n < 200; n++) expect(statSync(join(root, `out/${n}.txt`)).size).toBe(10)
    expect((await call(server, 'after.txt')).body.ok).toBe(true)
  })

  it('answers on a disk that takes its time to flush, and closes with every run on record', async (context) => {
    if (!has('strace', '-o', '/dev/null', 'true')) return context.skip('there is no strace')
    const root = cribIn(realpathSync(tempFolder()))
    const slow = ['-D', '-f', '-q', '-o', '/dev/null', '-e', 'inject=fsync,fdatasync:delay_exit=200000']
    const server = await serveProcess(root, [], {}, ['strace', ...slow, '-e', 'trace=fsync,fdatasync'])
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => call(server, `out/${n}.txt`)))
    expect(answers.map(({ body }) => body.error ?? body.ok)).toEqual(answers.map(() => true))
    for (let n = 0; n < 8; n++) expect(statSync(join(root, `out/${n}.txt`)).size).toBe(10)
    expect((await server.ask('GET', '/api/runs?limit=20')).body.runs).toHaveLength(8)
  })

  it('says that the disk is full, writes nothing in part, and goes on when there is space', async (context) => {
    const root = smallDisk(24)
    if (root === undefined) return context.skip('this user may not mount a disk to fill')
    const server = await serveProcess(cribIn(root))
    expect((await call(server, 'out/before.txt')).body.ok).toBe(true)
    const tooMuch = (await call(server, 'out/large.bin', 64_000_000)).body
    expect(tooMuch).toMatchObject({ ok: false })
    expect(JSON.stringify(tooMuch)).toMatch(/full|space/i)
    expect(existsSync(join(root, 'out/large.bin'))).toBe(false)
    // Nothing was to be done: what was written on the way is gone again.
    expect((await call(server, 'out/after.txt', 1_000_000)).body.ok).toBe(true)
    const makeSpace = fill(root)
    const full = await Promise.all(Array.from({ length: 10 }, (_, n) => call(server, `out/full-${n}.txt`)))
    for (const [n, { body }] of full.entries()) {
      if (!body.ok) expect(JSON.stringify(body)).toMatch(/full|space/i)
      expect(existsSync(join(root, `out/full-${n}.txt`))).toBe(body.ok)
    }
    makeSpace()
    expect((await call(server, 'out/again.txt')).body.ok).toBe(true)
    await server.end('SIGTERM')
    const again = await serveProcess(root)
    expect((await call(again, 'out/anew.txt')).body.ok).toBe(true)
  })

  it('goes on when its clock jumps a day ahead and back', async (context) => {
    const library = ['x86_64', 'aarch64']
      .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
      .find((file) => existsSync(file))
    if (library === undefined) return context.skip('there is no libfaketime')
    const clock = join(realpathSync(tempFolder()), 'clock')
    const jump = (offset: string) => writeFileSync(clock, offset)
    jump('+0')
    const server = await serveProcess(cribIn(realpathSync(tempFolder())), [], {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    for (const [n, offset] of ['+0', '+1d', '-1d', '+0'].entries()) {
      jump(offset)
      const { body } = await call(server, `out/${n}.txt`)
      expect(body.error ?? body.ok).toBe(true)
    }
    expect((await server.ask('GET', '/api/runs?limit=20')).body.runs).toHaveLength(4)
  })
})
