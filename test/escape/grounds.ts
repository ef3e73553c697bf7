// What stands around a sandbox in the escape tests: things of the host that a tool would like to touch. Each
// carries the canary, so that a single occurrence in any output is an escape.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FencedCrib } from '../helpers/fenced.ts'

/** Which wall a case runs into, with the errors that this wall and no other gives. */
export const walls = {
  /** The path is not there: only what is granted is mounted. */
  mounts:
    /ENOENT|ENOTDIR|ENXIO|No such file|[cC]annot find|not found|NOT_FOUND|No such device|No path|unable to open|nonexistent|can't cd/,
  /** It is there and mounted read-only (or this kernel was built without it). */
  readOnly: /EROFS|\/proc\/sysrq-trigger|Read-only file system|EBUSY|busy|EXDEV|cross-device/i,
  /** Covered by an empty folder. */
  mask: /ENOENT|EROFS|EBUSY|EXDEV|No such file|Read-only|busy|cross-device/i,
  /** The process is not in the namespace. */
  pids: /ESRCH|ENOENT|No such process|No such file/,
  /** No interface but a private loopback, no route, no resolver. */
  network:
    /ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL|ENOENT|EAI_AGAIN|gaierror|unreachable|refused|resolve|not known|Temporary failure|No such|tcp connect error|curl: \(7\)/i,
  /** No capability is left, and none can be gained. */
  capabilities:
    /EPERM|EACCES|ENOSPC|EINVAL|ENOSYS|\/proc\/kcore|not permitted|denied|No space|must be (superuser|root)|only root|Invalid argument/i,
  /** The filter on system calls. */
  seccomp: /EPERM|EAFNOSUPPORT|ENOSYS|not permitted|not supported|not implemented/i,
  /** Never handed over. */
  environment: /nothing/,
  /** Deno is told to fetch no code. */
  imports: /--no-remote|--no-npm/,
  /** Deno's own permissions, the first wall of a tool-code tool. */
  permissions:
    /NotCapable|Requires \w+ access|PermissionDenied|NotSupported|not allowed|disabled|refused|nothing|--no-remote|--no-npm/i,
} as const

export type Wall = keyof typeof walls

export interface EscapeCase {
  readonly name: string
  readonly wall: Wall
  /** Tries to get out; succeeding is an escape. `@NAME@` stands for a fact of the grounds. */
  readonly code: string
}

/** What a driver says about one case. */
export interface CaseResult {
  readonly index: number
  readonly escaped: boolean
  readonly error: string
}

/** The lines of JSON a driver printed, by case. */
export function readResults(stdout: string): Map<number, CaseResult> {
  const results = new Map<number, CaseResult>()
  for (const line of stdout.split('\n').filter((text) => text.startsWith('{'))) {
    const result = JSON.parse(line) as CaseResult
    results.set(result.index, result)
  }
  return results
}

/** Prints how many ways out were tried, how many got out, and which wall stopped how many. */
export function tally(
  name: string,
  cases: readonly { readonly wall: string }[],
  results: readonly { readonly escaped: boolean }[],
): void {
  const byWall = new Map<string, number>()
  for (const { wall } of cases) byWall.set(wall, (byWall.get(wall) ?? 0) + 1)
  const held = [...byWall].map(([wall, count]) => `${wall} ${count}`).join(', ')
  const escapes = results.filter((result) => result.escaped).length
  console.info(`escape corpus, ${name}: ${results.length} ways tried, ${escapes} escapes (held by ${held})`)
}

export class Grounds {
  readonly canary = `canary-${process.pid}-${Math.random().toString(36).slice(2)}`
  readonly crib: FencedCrib
  readonly outside: string
  /** What reached the host's servers. */
  readonly contacts: string[] = []
  readonly #servers: Server[] = []
  readonly #sentinel: ChildProcess
  /** Not the canary: error messages repeat the name. */
  readonly #abstract = `toolcrib-abstract-${process.pid}-${Math.random().toString(36).slice(2)}`
  /** Memory that programs of the host share, where it has such a folder. */
  readonly #shared = `/dev/shm/${this.#abstract}`
  readonly #startFile = join(process.env['HOME'] ?? '/root', '.bashrc')
  readonly #startText = read(this.#startFile)
  port = 0

  constructor(crib = new FencedCrib()) {
    this.crib = crib
    this.outside = mkdtempSync(join(tmpdir(), 'outside-'))
    const { project } = crib
    writeFileSync(join(this.outside, 'secret'), this.canary)
    writeFileSync(join(this.outside, 'target'), 'untouched')
    mkdirSync(join(project, 'docs'))
    mkdirSync(join(project, 'out'))
    writeFileSync(join(project, 'docs', 'a.md'), 'a')
    writeFileSync(join(project, 'b.md'), 'b')
    writeFileSync(join(project, 'toolcrib.yaml'), 'trust: require\n')
    writeFileSync(join(project, '.toolcrib', 'token'), this.canary)
    symlinkSync(this.outside, join(project, 'link'))
    symlinkSync(join(this.outside, 'secret'), join(project, 'out', 'filelink'))
    if (existsSync('/dev/shm')) writeFileSync(this.#shared, this.canary)
    process.env['TOOLCRIB_ESCAPE_CANARY'] = this.canary
    this.#sentinel = spawn('/bin/sleep', ['600'], { stdio: 'ignore', env: { CANARY: this.canary } })
  }

  /** The host's servers: TCP on both loopbacks, a socket file, an abstract socket. */
  async open(): Promise<void> {
    const listen = async (name: string, where: object) => {
      const server = createServer((socket) => {
        this.contacts.push(name)
        socket.on('error', () => {}).end(this.canary)
      })
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(where, resolve)
      })
      this.#servers.push(server)
      return server
    }
    const tcp = await listen('tcp', { port: 0, host: '127.0.0.1' })
    this.port = (tcp.address() as { port: number }).port
    await listen('tcp6', { port: this.port, host: '::1' }).catch(() => {})
    await listen('socket file', { path: join(this.outside, 'sock') })
    await listen('abstract socket', { path: `\0${this.#abstract}` })
  }

  /** The case with the facts of these grounds in place. */
  fill(code: string): string {
    const facts: Record<string, string> = {
      outside: this.outside,
      project: this.crib.project,
      port: String(this.port),
      pid: String(process.pid),
      sentinel: String(this.#sentinel.pid),
      abstract: this.#abstract,
      shared: this.#abstract,
      home: process.env['HOME'] ?? '/root',
    }
    return code.replace(/@(\w+)@/g, (whole, name: string) => facts[name] ?? whole)
  }

  /** What an escape would have left on the host; empty when nothing happened. */
  damage(): string[] {
    const { project } = this.crib
    const expected: [string, string][] = [
      [join(this.outside, 'target'), 'untouched'],
      [join(this.outside, 'secret'), this.canary],
      [join(project, 'b.md'), 'b'],
      [join(project, 'docs', 'a.md'), 'a'],
      [join(project, 'toolcrib.yaml'), 'trust: require\n'],
      [join(project, '.toolcrib', 'token'), this.canary],
    ]
    return [
      ...expected.filter(([file, text]) => read(file) !== text).map(([file]) => `${file} was changed`),
      ...(read(this.#startFile) === this.#startText ? [] : [`${this.#startFile} was changed`]),
      ...(existsSync(join(project, 'toolcrib.lock')) ? ['a lock file was made'] : []),
      ...this.contacts.map((name) => `the host's ${name} was reached`),
      ...(this.#sentinel.exitCode === null && this.#sentinel.signalCode === null
        ? []
        : ['a process of the host was ended']),
    ]
  }

  async close(): Promise<void> {
    this.#sentinel.kill('SIGKILL')
    for (const server of this.#servers) server.close()
    rmSync(this.#shared, { force: true })
    delete process.env['TOOLCRIB_ESCAPE_CANARY']
    await this.crib.close()
    rmSync(this.outside, { recursive: true, force: true })
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
