// The runtime `rye-filesystem`: reads and changes files of the project by the host itself, within the profile.
// Where a path really leads is judged after links are followed, and again on the opened file.
import { constants } from 'node:fs'
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rmdir,
  unlink,
} from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { realPath } from '../../sandbox/paths.ts'
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
        return await carryOut(order, attempt, env)
      } catch (error) {
        if (isToolError(error)) throw error
        throw failed(order, error as NodeJS.ErrnoException)
      }
    },
    async plan(attempt) {
      const order = orderOf(await settingOf(attempt, env, interpreters), env)
      await allowedFile(order, attempt, await realpath(env.spaces.project))
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

async function carryOut(order: Order, attempt: Attempt, env: RuntimeEnv): Promise<JsonObject> {
  const project = await realpath(env.spaces.project)
  const file = await allowedFile(order, attempt, project)
  switch (order.operation) {
    case 'read':
      return read(file, attempt, project)
    case 'list':
      return list(file, attempt)
    case 'delete': {
      const isFolder = (await lstat(file)).isDirectory()
      await (isFolder ? rmdir(file) : unlink(file))
      return { success: true, path: file }
    }
    default:
      return write(file, order, attempt, project)
  }
}

/** Where the path really leads. Judged before it is looked for: whether something exists outside is not told either. */
async function allowedFile({ operation, path }: Order, attempt: Attempt, project: string): Promise<string> {
  if (operation === 'read' || operation === 'list')
    return mustAllow(await realParent(path), 'fs.read', attempt, project)
  // The last part is taken as it is: deleting a link removes the link, writing through one is refused.
  return mustAllow(join(await realParent(dirname(path)), basename(path)), 'fs.write', attempt, project)
}

async function read(file: string, attempt: Attempt, project: string): Promise<JsonObject> {
  await using handle = await openChecked(
    file,
    constants.O_RDONLY | constants.O_NONBLOCK,
    'fs.read',
    attempt,
    project,
  )
  const { size } = await handle.stat()
  if (size > attempt.profile.outputBytes) throw tooLarge(attempt)
  const bytes = await handle.readFile()
  try {
    return {
      success: true,
      path: file,
      output: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    }
  } catch {
    return { success: true, path: file, encoding: 'base64', output: bytes.toString('base64') }
  }
}

async function list(folder: string, attempt: Attempt): Promise<JsonObject> {
  const entries = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => !isWithin(join(folder, entry.name), attempt.profile.hidden))
    .map((entry) => ({
      name: entry.name,
      type: entry.isDirectory()
        ? 'directory'
        : entry.isSymbolicLink()
          ? 'link'
          : entry.isFile()
            ? 'file'
            : 'other',
    }))
    .sort((a, b) => byCodeUnits(a.name, b.name))
  return { success: true, path: folder, output: entries.map((entry) => entry.name), entries }
}

async function write(file: string, order: Order, attempt: Attempt, project: string): Promise<JsonObject> {
  await mkdir(dirname(file), { recursive: true })
  const flags =
    constants.O_WRONLY |
    constants.O_CREAT |
    constants.O_NOFOLLOW |
    constants.O_NONBLOCK |
    (order.operation === 'append' ? constants.O_APPEND : 0)
  await using handle = await openChecked(file, flags, 'fs.write', attempt, project)
  // Emptied only now that it is known to be the right file.
  if (order.operation === 'write') await handle.truncate(0)
  await handle.writeFile(order.content)
  return { success: true, path: file, bytes: Buffer.byteLength(order.content) }
}

type Disposable = FileHandle & AsyncDisposable

async function openChecked(
  file: string,
  flags: number,
  need: 'fs.read' | 'fs.write',
  attempt: Attempt,
  project: string,
): Promise<Disposable> {
  const handle = await open(file, flags, 0o666)
  try {
    if (!(await handle.stat()).isFile()) throw new ToolError('TOOL_FAILED', `${file} is not a regular file.`)
    // A folder that was swapped for a link after the first look shows here.
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => file)
    await mustAllow(opened, need, attempt, project)
    return handle as Disposable
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The real path of a folder that may not exist yet: of its nearest existing parent, plus the rest. */
async function realParent(folder: string): Promise<string> {
  try {
    return await realpath(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error
    return join(await realParent(dirname(folder)), basename(folder))
  }
}

async function mustAllow(
  file: string,
  need: 'fs.read' | 'fs.write',
  attempt: Attempt,
  project: string,
): Promise<string> {
  if (!isWithin(file, [project])) {
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
  if (isWithin(file, profile.hidden.flatMap(realNames))) return false
  return need === 'fs.read'
    ? isWithin(file, [...profile.read, ...profile.write])
    : mayWrite({ write: profile.write.map(realPath), readOnly: profile.readOnly.flatMap(realNames) }, file)
}

/** What a path leads to, and the path itself: a link in its place could be replaced. */
function realNames(path: string): string[] {
  return [realPath(path), join(realPath(dirname(path)), basename(path))]
}

/** True for a path that is one of the folders or below one. */
function isWithin(file: string, folders: readonly string[]): boolean {
  return folders
    .map(realPath)
    .some((folder) => file === folder || file.startsWith(folder.endsWith(sep) ? folder : folder + sep))
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
