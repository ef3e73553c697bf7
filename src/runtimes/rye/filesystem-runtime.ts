// The runtime `rye-filesystem`: reads and changes files of the project by the host itself, within the profile.
// Where a path really leads is judged after links are followed; it is then opened through no link at all.
import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  ftruncateSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside, pathWithin } from '../../files/is-inside.ts'
import { inFolderBelow, openBelow } from '../../files/open-below.ts'
import { nearestRealPath, realPathOf } from '../../files/real-path.ts'
import { mayWrite, type Profile } from '../../sandbox/profile.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import { byCodeUnits } from '../../tool/json.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { Interpreters } from './interpreter.ts'
import { tooLarge } from './run-process.ts'
import { type Setting, settingOf } from './setting.ts'
import { expand, textOf } from './template.ts'

const operations = ['read', 'write', 'append', 'list', 'delete'] as const
type Operation = (typeof operations)[number]

interface Order {
  readonly operation: Operation
  /** Absolute, as asked for. */
  readonly path: string
  readonly content: string
}

/** The real path of what is meant, whole and from the project's real folder. */
interface Place {
  readonly project: string
  readonly file: string
  readonly path: string
}

export function ryeFilesystem(env: RuntimeEnv): Runtime {
  const interpreters = new Interpreters(env)
  return {
    name: 'rye-filesystem',
    async run(attempt) {
      attempt.enforced({
        layers: ['host'],
        dimensions: { read: 'enforced', write: 'enforced', network: 'enforced' },
      })
      const order = orderOf(await settingOf(attempt, env, interpreters), env)
      attempt.signal.throwIfAborted()
      try {
        return carryOut(order, attempt, env)
      } catch (error) {
        if (isToolError(error)) throw error
        throw failed(order, error as NodeJS.ErrnoException)
      }
    },
    async plan(attempt) {
      const order = orderOf(await settingOf(attempt, env, interpreters), env)
      allowedFile(order, attempt, realpathSync(env.spaces.project))
      return { operation: order.operation, path: order.path }
    },
  }
}

function orderOf(setting: Setting, env: RuntimeEnv): Order {
  const { config } = setting.plan
  const operation = textSetting('operation', config['operation'], setting)
  if (!operations.includes(operation as Operation)) {
    throw new ToolError(
      'TOOL_INVALID',
      `config.operation is ${JSON.stringify(operation)}; use ${operations.join(', ')}.`,
    )
  }
  const path = textSetting('path', config['path'], setting)
  if (path === '' || path.includes('\0'))
    throw new ToolError('PARAMS_INVALID', 'config.path comes to no usable path.')
  const needsContent = operation === 'write' || operation === 'append'
  return {
    operation: operation as Operation,
    path: resolve(env.spaces.project, path),
    content: needsContent ? textSetting('content', config['content'], setting) : '',
  }
}

function textSetting(key: string, template: Json | undefined, setting: Setting): string {
  const { value, missing } = expand(template ?? '', setting.scope, { key })
  if (missing.length > 0) {
    throw new ToolError(
      'PARAMS_INVALID',
      `{${missing[0]}} in config.${key} has no value; nothing was done.`,
      {
        hint: `Pass ${missing[0]}, or give the parameter a default.`,
      },
    )
  }
  return textOf(value)
}

function carryOut(order: Order, attempt: Attempt, env: RuntimeEnv): JsonObject {
  const project = realpathSync(env.spaces.project)
  const file = allowedFile(order, attempt, project)
  const place: Place = { project, file, path: pathWithin(file, project)! }
  switch (order.operation) {
    case 'read':
      return read(place, attempt)
    case 'list':
      return list(place, attempt)
    case 'delete':
      return remove(place)
    default:
      return write(place, order)
  }
}

/** Where the path really leads. Judged before it is looked for: whether something exists outside is not told either. */
function allowedFile({ operation, path }: Order, attempt: Attempt, project: string): string {
  if (operation === 'read' || operation === 'list')
    return mustAllow(followed(path), 'fs.read', attempt, project)
  // The last part is taken as it is: deleting a link removes the link, writing through one is refused.
  return mustAllow(join(followed(dirname(path)), basename(path)), 'fs.write', attempt, project)
}

function read({ project, file, path }: Place, attempt: Attempt): JsonObject {
  const descriptor = openBelow(project, path, { flags: constants.O_RDONLY | constants.O_NONBLOCK })
  try {
    mustBeFile(descriptor, file)
    if (fstatSync(descriptor).size > attempt.profile.outputBytes) throw tooLarge(attempt)
    const bytes = readFileSync(descriptor)
    return isUtf8(bytes)
      ? { success: true, path: file, output: bytes.toString('utf8') }
      : { success: true, path: file, encoding: 'base64', output: bytes.toString('base64') }
  } finally {
    closeSync(descriptor)
  }
}

function list({ project, file, path }: Place, attempt: Attempt): JsonObject {
  const entries = inFolderBelow(project, path, (at) => readdirSync(at, { withFileTypes: true }))
    .filter((entry) => !isInAny(join(file, entry.name), attempt.profile.hidden))
    .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
    .sort((a, b) => byCodeUnits(a.name, b.name))
  return { success: true, path: file, output: entries.map((entry) => entry.name), entries }
}

function typeOf(entry: Dirent): string {
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFile() ? 'file' : 'other'
}

function remove({ project, file, path }: Place): JsonObject {
  inFolderBelow(project, dirname(path), (at) => {
    const entry = join(at, basename(path))
    if (lstatSync(entry).isDirectory()) rmdirSync(entry)
    else unlinkSync(entry)
  })
  return { success: true, path: file }
}

function write({ project, file, path }: Place, order: Order): JsonObject {
  const isAppended = order.operation === 'append'
  const flags =
    constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK | (isAppended ? constants.O_APPEND : 0)
  const descriptor = openBelow(project, path, { flags, makeFolders: true })
  try {
    mustBeFile(descriptor, file)
    // Emptied only now that it is known to be the right file.
    if (!isAppended) ftruncateSync(descriptor)
    writeFileSync(descriptor, order.content)
  } finally {
    closeSync(descriptor)
  }
  return { success: true, path: file, bytes: Buffer.byteLength(order.content) }
}

function mustBeFile(descriptor: number, file: string): void {
  if (!fstatSync(descriptor).isFile()) throw new ToolError('TOOL_FAILED', `${file} is not a regular file.`)
}

/** Where a path leads; one that leads nowhere has the error of looking for it. */
function followed(path: string): string {
  return realPathOf(path) ?? realpathSync(path)
}

function mustAllow(file: string, need: 'fs.read' | 'fs.write', attempt: Attempt, project: string): string {
  if (!isInside(file, project)) {
    throw new ToolError('PATH_OUTSIDE', `${file} is outside the project.`, {
      hint: 'Filesystem tools work inside the project folder only.',
    })
  }
  if (!allows(file, need, attempt.profile)) {
    throw new ToolError(
      'CAPABILITY_DENIED',
      `${attempt.tool.id} may not ${need === 'fs.read' ? 'read' : 'change'} ${file}.`,
      {
        hint: `It needs ${need} for that place; the crib's own files are never opened to tools.`,
      },
    )
  }
  return file
}

function allows(file: string, need: 'fs.read' | 'fs.write', profile: Profile): boolean {
  if (isInAny(file, profile.hidden.flatMap(realNames))) return false
  return need === 'fs.read'
    ? isInAny(file, [...profile.read, ...profile.write])
    : mayWrite(
        { write: profile.write.map(nearestRealPath), readOnly: profile.readOnly.flatMap(realNames) },
        file,
      )
}

/** What a path leads to, and the path itself: a link in its place could be replaced. */
function realNames(path: string): string[] {
  return [nearestRealPath(path), join(nearestRealPath(dirname(path)), basename(path))]
}

function isInAny(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(file, nearestRealPath(folder)))
}

function failed(order: Order, error: NodeJS.ErrnoException): ToolError {
  const reasons: Record<string, string> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder',
    ENOTDIR: 'is not a folder',
    ENOTEMPTY: 'is a folder that is not empty',
    EACCES: 'is not accessible to this user',
    ELOOP: 'is a link; writing goes to files only',
    ENXIO: 'is not a regular file',
  }
  const reason = reasons[error.code ?? ''] ?? error.message
  return new ToolError('TOOL_FAILED', `${order.operation}: ${order.path} ${reason}.`, {
    details: { code: error.code ?? '', path: order.path },
  })
}
