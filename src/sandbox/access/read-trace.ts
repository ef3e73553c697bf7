// From traced calls to what the tool reached for. Begins with the start of the tool itself: what the fence did before it
// is not the tool's. Believes paths only as names: whether something is there is asked of the host.
import { existsSync, lstatSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { posix } from 'node:path'
import { isInside, pathWithin } from '../../files/is-inside.ts'
import { parseAddress } from '../addresses.ts'
import type { SpawnSpec } from '../fence.ts'
import { type Access, hostAndPort } from './access.ts'
import { isSensitivePath } from './sensitive.ts'
import { pathOfDescriptor, type TracedCall, TraceLines, textOf, textsOf } from './trace-lines.ts'
import { connectionOf, type PathAsked, pathsAsked } from './traced-calls.ts'
import { variableOf } from './watched-environment.ts'

export interface TraceContext {
  readonly project: string
  /** What the fence starts, as it was before the walls were put around it. */
  readonly spec: SpawnSpec
  /** Shown to the process whatever is granted: its own code, its own folders. */
  readonly given: readonly string[]
  /** Starting another program needs a grant. */
  readonly countsPrograms: boolean
  readonly onAccess: (access: Access) => void
}

/** Every view has these, or something of its own in their place. */
const common = '/usr /lib /lib64 /bin /sbin /etc /dev /sys /tmp /var /run /opt /nix'.split(' ')
const refusedByRights = /^-1 (EACCES|EPERM|EROFS)\b/
const notFound = /^-1 (ENOENT|ENOTDIR)\b/
/** The proxy of the fence, and the name service. */
const ownPorts = new Set([0, 53, 3128])

export class TraceReader {
  readonly #context: TraceContext
  readonly #lines = new TraceLines()
  readonly #home = homedir()
  readonly #before = new Set<string>()
  readonly #folders = new Map<string, string>()
  #hasBegun = false

  constructor(context: TraceContext) {
    this.#context = context
  }

  /** False: the start of the tool was not seen, so nothing is known of it. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  take(line: string): void {
    const call = this.#lines.take(line)
    if (!call) return
    if (!this.#hasBegun) return this.#awaitStart(call)
    if (this.#before.has(call.pid)) return
    this.#follow(call)
    if (call.name === 'execve' || call.name === 'execveat') return this.#started(call)
    for (const asked of pathsAsked(call)) this.#asked(this.#absolute(call.pid, asked), asked, call.result)
    this.#connected(call)
    if (/^(clone3?|v?fork)$/.test(call.name) && /EAGAIN/.test(call.result))
      this.#context.onAccess({ kind: 'limit', what: 'processes', isDenied: true })
  }

  #awaitStart(call: TracedCall): void {
    const { file, argv0, args } = this.#context.spec
    const given = call.name === 'execve' ? textsOf(call.args[1]) : undefined
    const isTool =
      given !== undefined &&
      call.result.startsWith('0') &&
      textOf(call.args[0]) === file &&
      [file, argv0].includes(given[0]) &&
      given.length === args.length + 1 &&
      args.every((arg, index) => given[index + 1] === arg || arg.length > 1_000)
    if (!isTool) return void this.#before.add(call.pid)
    this.#hasBegun = true
    this.#before.delete(call.pid)
  }

  /** Which folder a process works in: calls that count from it name it. */
  #follow({ pid, name, args, result }: TracedCall): void {
    const named = args.find((arg) => arg.startsWith('AT_FDCWD<'))
    const folder = named ?? (name === 'fchdir' && result === '0' ? args[0] : undefined)
    const path = pathOfDescriptor(folder)
    if (path !== undefined) this.#folders.set(pid, path)
    if (name === 'chdir' && result === '0') {
      const [asked] = pathsAsked({ pid, name, args, result })
      if (asked) this.#folders.set(pid, this.#absolute(pid, asked))
    }
  }

  #absolute(pid: string, { path, from }: PathAsked): string {
    return posix.resolve(from ?? this.#folders.get(pid) ?? this.#context.spec.cwd, path)
  }

  #started({ pid, args, name, result }: TracedCall): void {
    const path = textOf(args[name === 'execve' ? 0 : 1])
    if (path === undefined) return
    const program = this.#absolute(pid, { path, from: undefined, use: 'look', flags: '' })
    if (!existsSync(program)) return
    this.#asked(program, { path, from: undefined, use: 'look', flags: '' }, result)
    if (this.#context.countsPrograms && program !== this.#context.spec.file)
      this.#tell('program', program, result.startsWith('-1'))
  }

  #asked(path: string, { use, flags, path: written }: PathAsked, result: string): void {
    const variable = variableOf(path)
    if (variable) return this.#context.onAccess(variable)
    const mayWrite = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE/.test(flags)
    const isChange = mayWrite || use === 'make' || use === 'write'
    if (use === 'enter' || path.includes('__pycache__') || !this.#isOfInterest(path, isChange)) return
    const stat = statOf(path)
    if (use === 'make' || (use === 'open' && mayWrite && (!stat || flags.includes('O_TMPFILE'))))
      return this.#made(path, result)
    if (!stat) {
      if (isSensitivePath(path)) this.#tell('read', path, true)
      return
    }
    const isDenied = refusedByRights.test(result) || notFound.test(result)
    if (use === 'write' || mayWrite) return this.#tell('write', path, isDenied)
    if (!stat.isDirectory()) return this.#tell('read', path, isDenied)
    // An interpreter lists the folder of its script for imports, by its whole path.
    const isOwn = written === path && this.#context.given.some((file) => posix.dirname(file) === path)
    // A folder on the way to something is there in every view; its entries are not.
    if (isOwn) return
    // In place of the home folder the view has one of its own.
    const isHidden = path === this.#home && !isInside(path, this.#context.project)
    if ((use === 'open' && !flags.includes('O_PATH')) || isDenied)
      this.#tell('list', path, isDenied || isHidden)
  }

  #made(path: string, result: string): void {
    const isThere = !notFound.test(result) || statOf(posix.dirname(path)) !== undefined
    if (isThere && !/^-1 (EEXIST|ENOTEMPTY|EISDIR)/.test(result))
      this.#tell('make', path, refusedByRights.test(result) || notFound.test(result))
  }

  /** What is neither shown to every process nor to this one. */
  #isOfInterest(path: string, isChange: boolean): boolean {
    const { project, given } = this.#context
    // A file of its own is shown to it, not given to change.
    const isOwn = given.some((shown) => isInside(path, shown))
    if (isOwn) return isChange && given.includes(path) && isInside(path, project)
    if (isInside(path, project)) return true
    const other = /^\/proc\/(\d+)\//.exec(path)?.[1]
    if (other !== undefined) return true
    if (isInside(path, this.#home)) return isSensitivePath(path) || statOf(path) !== undefined
    if (common.some((folder) => isInside(path, folder)))
      return isSensitivePath(path) && statOf(path) !== undefined
    return path !== '/' && !isInside(path, '/proc')
  }

  #connected(call: TracedCall): void {
    const to = connectionOf(call)
    if (!to || ownPorts.has(to.port)) return
    // Through the proxy it is told by the proxy itself, by name.
    const isOwn = parseAddress(to.host)?.range() === 'loopback'
    if (!call.result.startsWith('-1') || /EINPROGRESS/.test(call.result)) return
    this.#context.onAccess({
      kind: 'host',
      what: hostAndPort(to.host, to.port),
      isDenied: true,
      ...(isOwn ? {} : { address: to.host }),
    })
  }

  /** What is shown outside the project is shown to every run of this program. */
  #tell(kind: Access['kind'], path: string, isDenied: boolean): void {
    if (!isDenied && kind !== 'program' && !isInside(path, this.#context.project)) return
    const within = kind === 'program' ? undefined : pathWithin(path, this.#context.project)
    const what = within === '' ? '.' : (within ?? path)
    this.#context.onAccess({ kind, what, isDenied })
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
