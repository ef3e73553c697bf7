import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { runToEnd } from '../workers/run-to-end.ts'
import { Supervisor } from '../workers/supervisor.ts'
import { probeBubblewrap } from './bubblewrap/bubblewrap.ts'
import { probeLauncher } from './launcher/launcher.ts'
import { parseMounts } from './mount-table.ts'
import { openFence } from './open-fence.ts'
import { closedProfile } from './profile.ts'
import { ExpectedMounts } from './verify-mounts.ts'

const top = realpathSync(mkdtempSync(join(tmpdir(), 'verify-')))
const supervisor = new Supervisor()
afterAll(async () => {
  await supervisor.close()
  rmSync(top, { recursive: true })
})

const engines = { bubblewrap: probeBubblewrap(undefined).found, launcher: probeLauncher(undefined).found }

describe.each(['bubblewrap', 'launcher'] as const)('with %s', (engine) => {
  describe.skipIf(!engines[engine])('', () => {
    it.each([true, false])(
      'runs nothing when a folder became a link after it was judged, and says which (project shown: %s)',
      async (isShown) => {
        verifies('G10')
        const project = mkdtempSync(join(top, 'crib-'))
        const loot = mkdtempSync(join(top, 'loot-'))
        mkdirSync(join(project, 'out'))
        const fence = openFence({ mode: 'required', project, engine })
        const fenced = fence.wrap(
          {
            file: '/bin/sh',
            args: ['-c', `echo taken > ${project}/out/file`],
            cwd: project,
            env: { PATH: '/usr/bin:/bin' },
          },
          {
            ...closedProfile,
            read: isShown ? [project, join(project, 'out')] : [join(project, 'out')],
            write: [join(project, 'out')],
            subprocess: true,
          },
        )
        renameSync(join(project, 'out'), join(project, 'was'))
        symlinkSync(loot, join(project, 'out'))
        const run = runToEnd(supervisor, fenced, {
          maxBytes: 1_000,
          timeoutMs: 20_000,
          signal: new AbortController().signal,
        })
        await expect(run).rejects.toMatchObject({
          code: 'PATH_OUTSIDE',
          message: expect.stringContaining(join(project, 'out')),
        })
        expect(readdirSync(loot)).toEqual([])
        fence.close()
      },
    )

    it('runs when everything is as it was judged', async () => {
      const project = mkdtempSync(join(top, 'a b\\c-'))
      mkdirSync(join(project, 'out'))
      writeFileSync(join(project, 'toolcrib.yaml'), '')
      const fence = openFence({ mode: 'required', project, engine })
      const fenced = fence.wrap(
        {
          file: '/bin/sh',
          args: ['-c', 'echo done > out/file'],
          cwd: project,
          env: { PATH: '/usr/bin:/bin' },
        },
        { ...closedProfile, read: [project], write: [join(project, 'out')], subprocess: true },
      )
      await runToEnd(supervisor, fenced, {
        maxBytes: 1_000,
        timeoutMs: 20_000,
        signal: new AbortController().signal,
      })
      expect(existsSync(join(project, 'out/file'))).toBe(true)
      fence.close()
    })
  })
})

describe('the comparison', () => {
  const host = parseMounts(
    [
      '1 0 8:1 / / rw - ext4 /dev/a rw',
      '2 1 8:2 /home /home rw - ext4 /dev/b rw',
      '3 2 8:3 / /home/u/p/data rw - ext4 /dev/c rw',
    ].join('\n'),
  )
  const root = '9 8 0:9 /newroot / ro - tmpfs tmpfs rw'
  const steps = [{ kind: 'bind', source: '/home/u/p', target: '/home/u/p', isWritable: false }] as const
  const differenceOf = (...lines: string[]) =>
    new ExpectedMounts(steps, host).difference(parseMounts([root, ...lines].join('\n')))

  it.each([
    ['another folder', '10 9 8:2 /home/u/secret /home/u/p ro - ext4 /dev/b rw', '/home/u/secret'],
    ['another file system', '10 9 8:1 /home/u/p /home/u/p ro - ext4 /dev/a rw', '/home/u/p shows'],
    [
      'a folder that can be written to',
      '10 9 8:2 /home/u/p /home/u/p rw - ext4 /dev/b rw',
      'can be written to',
    ],
  ])('finds %s', (_, line, said) => {
    verifies('G10')
    expect(differenceOf(line)).toContain(said)
  })

  const own = '10 9 8:2 /home/u/p /home/u/p ro - ext4 /dev/b rw'

  it('finds what is missing and what nobody asked for', () => {
    expect(differenceOf()).toContain('is not at /home/u/p')
    expect(differenceOf(own, '11 9 8:2 /home /mnt rw - ext4 /dev/b rw')).toContain('/mnt shows /home')
  })

  it('takes along what was mounted below, and not what was mounted there since', () => {
    expect(differenceOf(own, '11 10 8:3 / /home/u/p/data ro - ext4 /dev/c rw')).toBeUndefined()
    expect(differenceOf(own, '11 10 8:4 / /home/u/p/new ro - ext4 /dev/d rw')).toContain('/home/u/p/new')
  })

  it('reads names with spaces and backslashes', () => {
    expect(parseMounts('1 0 8:1 /a\\040b /c\\134d rw - ext4 x rw')[0]).toMatchObject({
      root: '/a b',
      target: '/c\\d',
    })
  })
})
