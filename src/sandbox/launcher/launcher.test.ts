import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { engines, FencedCrib } from '../../../test/helpers/fenced.ts'
import type { EngineOrder } from '../engine.ts'
import { probeLauncher } from './launcher.ts'

it('says what is missing', () => {
  expect(probeLauncher(undefined, null)).toEqual({ reason: 'perl is not installed' })
})

it('does not believe a program that ends well and runs nothing', () => {
  expect(probeLauncher(undefined, '/bin/true').reason).toMatch(/^the launcher does not work here: /)
})

describe.skipIf(!engines.includes('launcher'))('the launcher', () => {
  const crib = new FencedCrib({ engine: 'launcher' })
  const { project } = crib
  const engine = probeLauncher(undefined).found!
  afterAll(() => crib.close())

  /** Starts `/bin/sh` with exactly these binds beside /usr. */
  async function shell(script: string, binds: readonly { source: string; target: string }[]) {
    const usr = ['/usr', '/bin', '/lib', '/lib64'].map((path) => ({
      source: realpathSync(path),
      target: path,
    }))
    const order: EngineOrder = {
      spec: { file: '/bin/sh', args: ['-c', script], cwd: '/', env: {} },
      steps: [...usr, ...binds].map((bind) => ({ kind: 'bind', ...bind, isWritable: false })),
      env: [],
      way: undefined,
      processes: undefined,
      doors: [],
      limits: [],
    }
    return await crib.finish(engine.start(order))
  }

  it('mounts nothing through a link, whoever put it there', async () => {
    mkdirSync(join(project, 'real'))
    symlinkSync(join(project, 'real'), join(project, 'link'))
    const ended = await shell('echo ran', [{ source: join(project, 'link'), target: '/shown' }])
    expect(ended).toMatchObject({ exitCode: 126, stdout: { text: '' } })
    expect(ended.stderr.text).toContain('link is not what was judged, or is gone')
  })

  it.skipIf(!engine?.landlock)('refuses writes a second time, where a mount would allow them', async () => {
    // Nothing seals /dev here: the mount itself could be written to.
    const order: EngineOrder = {
      spec: {
        file: '/bin/sh',
        args: [
          '-c',
          'echo x > /dev/made; echo x > /dev/null && echo x > /tmp/made && mv /tmp/made /tmp/moved && echo ran',
        ],
        cwd: '/',
        env: {},
      },
      steps: [
        ...['/usr', '/bin', '/lib', '/lib64'].map(
          (target) => ({ kind: 'bind', source: realpathSync(target), target, isWritable: false }) as const,
        ),
        { kind: 'devices' },
        { kind: 'memory', target: '/tmp', mode: '1777', bytes: 65_536 },
      ],
      env: [['PATH', '/usr/bin:/bin']],
      way: undefined,
      processes: undefined,
      doors: [],
      limits: [],
    }
    const ended = await crib.finish(engine.start(order))
    expect(ended.stderr.text).toMatch(/cannot create \/dev\/made: Permission denied/)
    expect(ended.stdout.text).toBe('ran\n')
  })

  it('runs nothing when its plan was cut', async () => {
    const spec = engine.start({
      spec: { file: '/bin/sh', args: ['-c', 'echo ran', 'end', '0'], cwd: '/', env: {} },
      steps: ['/usr', '/bin', '/lib', '/lib64'].map((target) => {
        return { kind: 'bind', source: realpathSync(target), target, isWritable: false }
      }),
      env: [],
      way: undefined,
      processes: undefined,
      doors: [],
      limits: [],
    })
    const [{ fd, bytes }] = spec.handovers as [{ fd: number; bytes: Uint8Array }]
    expect((await crib.finish(spec)).stdout.text).toBe('ran\n')
    const end = Buffer.byteLength('end\0' + '0\0')
    for (const length of [0, 20, bytes.length - end - 1, bytes.length - end]) {
      const ended = await crib.finish({ ...spec, handovers: [{ fd, bytes: bytes.slice(0, length) }] })
      expect(ended).toMatchObject({ exitCode: 126, stdout: { text: '' } })
    }
  })

  it('runs nothing when a folder on the way is a link', async () => {
    mkdirSync(join(project, 'deep', 'inner'), { recursive: true })
    symlinkSync(join(project, 'deep'), join(project, 'way'))
    const ended = await shell('echo ran', [{ source: join(project, 'way', 'inner'), target: '/shown' }])
    expect(ended).toMatchObject({ exitCode: 126, stdout: { text: '' } })
  })

  it('makes no file in a folder of the host to mount something on it', async () => {
    writeFileSync(join(project, 'file'), 'x')
    const ended = await shell('echo ran', [
      { source: project, target: '/project' },
      { source: join(project, 'file'), target: '/project/made' },
    ])
    expect(ended).toMatchObject({ exitCode: 126, stdout: { text: '' } })
    expect((await crib.run(crib.shell('ls'))).stdout.text).not.toContain('made')
  })

  const unified = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find(isGroup)

  it.skipIf(!unified || !engine?.proc)(
    'has the program born in a control group of version 2, and waits outside of it',
    async () => {
      const group = join(unified!, `toolcrib-test-${process.pid}`)
      mkdirSync(group)
      const door = join(group, 'cgroup.procs')
      const members = () => readFileSync(door, 'utf8').trim().split('\n').filter(Boolean)
      try {
        const order: EngineOrder = {
          spec: { file: '/bin/sh', args: ['-c', 'cat /proc/self/cgroup; read line'], cwd: '/', env: {} },
          steps: [
            ...['/usr', '/bin', '/lib', '/lib64'].map(
              (target) =>
                ({ kind: 'bind', source: realpathSync(target), target, isWritable: false }) as const,
            ),
            { kind: 'proc' },
          ],
          env: [['PATH', '/usr/bin:/bin']],
          way: undefined,
          processes: undefined,
          doors: [door],
          limits: [],
        }
        const child = await crib.supervisor.start(engine.start(order))
        let said = ''
        child.stdout.on('data', (chunk) => {
          said += String(chunk)
        })
        await expect.poll(members).toHaveLength(2)
        expect(members()).not.toContain(String(child.pid))
        // Its view of control groups begins at its own.
        await expect.poll(() => said).toMatch(/^0::\/$/m)
        child.stdin.end('go\n')
        expect(await child.exited).toMatchObject({ code: 0 })
        expect(members()).toEqual([])
      } finally {
        rmdirSync(group)
      }
    },
  )

  it('dies of the signal that the program died of', async () => {
    expect(await crib.run(crib.shell('kill -SEGV $$'))).toMatchObject({
      exitCode: null,
      signal: 'SIGSEGV',
      diedOf: 'SIGSEGV',
    })
  })

  it('leaves no descriptor open but the three of every program', async () => {
    const ended = await crib.run(crib.shell('ls /proc/self/fd'))
    expect(ended.stdout.text.trim().split('\n')).toEqual(['0', '1', '2', '3'])
  })
})

/** A folder of version 2 in which a group can be made. */
function isGroup(folder: string): boolean {
  try {
    accessSync(join(folder, 'cgroup.controllers'))
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
