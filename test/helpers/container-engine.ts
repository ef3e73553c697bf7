// A real container engine for tests, with a tiny image of its own: docker where its daemon answers, else podman with
// storage of its own in a temporary folder. Found by really starting a container.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TestEngine {
  readonly name: 'docker' | 'podman'
  readonly image: string
  /** What it needs in the environment to be found as it was here. */
  readonly env: { readonly [name: string]: string }
  /** Whether containers can have a network here. */
  readonly hasNetwork: boolean
  /** Names of all containers of tools, running or not. */
  containers(): string[]
  close(): void
}

const applets = ['sh', 'cat', 'echo', 'env', 'head', 'ls', 'mv', 'printf', 'sleep', 'tail', 'touch', 'true']

/** Settings tried in turn: the machine's own, then those that work where limits may not be raised. */
const settings = [
  undefined,
  `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
`,
]

/** The engine, or why there is none. */
export function startEngine(): TestEngine | string {
  const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((file) => existsSync(file))
  if (!busybox) return 'there is no busybox for an image (apt-get install busybox-static)'
  // A short name: podman waits 20 s for the end of a container whose files have longer paths than a socket may have.
  const folder = mkdtempSync(join(tmpdir(), 'e-'))
  const archive = imageArchive(folder, busybox)
  const faults: string[] = []
  for (const { name, env } of candidates(folder)) {
    const engine = tryEngine(name, env, archive)
    if (typeof engine !== 'string')
      return {
        ...engine,
        close: () => {
          engine.close()
          removeStorage(folder)
        },
      }
    faults.push(`${name}: ${engine}`)
  }
  removeStorage(folder)
  return `no container can be started (${[...new Set(faults)].join('; ')})`
}

/** An engine may leave its storage mounted, and a folder that is a mount cannot be removed. */
function removeStorage(folder: string): void {
  const points = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((point) => point.startsWith(`${folder}/`))
  for (const point of points.reverse()) spawnSync('umount', ['-l', point])
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

function imageArchive(folder: string, busybox: string): string {
  const root = join(folder, 'image')
  mkdirSync(join(root, 'bin'), { recursive: true })
  copyFileSync(busybox, join(root, 'bin/busybox'))
  for (const name of applets) symlinkSync('busybox', join(root, 'bin', name))
  const archive = join(folder, 'image.tar')
  spawnSync('tar', ['-C', root, '-cf', archive, '.'])
  return archive
}

type Candidate = Pick<TestEngine, 'name' | 'env'>

function* candidates(folder: string): Generator<Candidate> {
  yield { name: 'docker', env: {} }
  for (const [index, text] of settings.entries()) {
    for (const driver of ['overlay', 'vfs']) {
      const own = join(folder, `${driver}-${index}`)
      mkdirSync(own)
      const storage = join(own, 'storage.conf')
      writeFileSync(
        storage,
        `[storage]\ndriver = "${driver}"\ngraphroot = "${own}/graph"\nrunroot = "${own}/run"\n`,
      )
      const conf = join(own, 'containers.conf')
      if (text !== undefined) writeFileSync(conf, text)
      yield {
        name: 'podman',
        env: { CONTAINERS_STORAGE_CONF: storage, ...(text === undefined ? {} : { CONTAINERS_CONF: conf }) },
      }
    }
  }
}

/** The engine when it starts a container from the archive; else its last words. */
function tryEngine(name: Candidate['name'], env: Candidate['env'], archive: string): TestEngine | string {
  const image = `localhost/toolcrib-test-${process.pid}:1`
  const ask = (...args: string[]) =>
    spawnSync(name, args, { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 60_000 })
  const remove = () => void ask('rmi', '--force', image)
  for (const args of [
    ['import', archive, image],
    ['run', '--rm', '--network', 'none', image, '/bin/true'],
  ]) {
    const { status, stderr, error } = ask(...args)
    if (status === 0) continue
    remove()
    return error?.message ?? stderr.trim().split('\n').at(-1) ?? ''
  }
  return {
    name,
    image,
    env,
    hasNetwork: ask('run', '--rm', image, '/bin/true').status === 0,
    containers: () =>
      ask('ps', '--all', '--filter', 'name=toolcrib-', '--format', '{{.Names}}')
        .stdout.split('\n')
        .filter(Boolean),
    close: remove,
  }
}
