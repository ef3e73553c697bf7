// The runtime `rye-filesystem`: reads and changes files of the project, within the profile. Where a path really leads
// is judged here after links are followed; a process behind the fence then opens it, through no link at all.
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath, realPathOf } from '../../files/real-path.ts'
import { mayWrite, type Profile } from '../../sandbox/profile.ts'
import type { Json, JsonObject } from '../../tool/json.ts'
import { byCodeUnits } from '../../tool/json.ts'
import { isToolError, ToolError } from '../../tool/tool-error.ts'
import { runToEnd } from '../../workers/run-to-end.ts'
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

/** Done by a process behind the fence: the host opens, makes and removes nothing by name (G12). */
async function carryOut(order: Order, attempt: Attempt, env: RuntimeEnv): Promise<JsonObject> {
  const project = realpathSync(env.spaces.project)
  const file = allowedFile(order, attempt, project)
  const helper = join(env.spaces.system, 'fence', 'file-operation.mjs')
  const fenced = env.fence.wrap(
    { file: process.execPath, args: [helper], cwd: '/', env: { PATH: '/usr/bin:/bin' } },
    attempt.profile,
    { tool: attempt.tool.id, read: [helper], holding: attempt.changes },
  )
  attempt.enforced(fenced.enforcement)
  const { outputBytes } = attempt.profile
  const ended = await runToEnd(env.supervisor, fenced, {
    input: JSON.stringify({ ...order, path: file, maxBytes: outputBytes }),
    // Bytes that are no text take a third more, and a list says of each entry what it is.
    maxBytes: outputBytes * 2 + 65_536,
    stopWhenFull: true,
    timeoutMs: attempt.timeoutMs,
    signal: attempt.signal,
  })
  if (ended.stdout.truncated) throw tooLarge(attempt)
  const end = ended.stdout.text.indexOf('\n')
  if (ended.exitCode !== 0 || end === -1)
    throw new ToolError('TOOL_FAILED', `${order.operation}: ${order.path} could not be done.`, {
      details: { stderr: ended.stderr.text.slice(-500) },
    })
  const answer = JSON.parse(ended.stdout.text.slice(0, end)) as Answer
  if (!answer.ok) throw answer.code === 'EFBIG' ? tooLarge(attempt) : failed(order, answer)
  return resultOf(order, { file, body: ended.stdout.text.slice(end + 1), encoding: answer.encoding }, attempt)
}

/** What the process says of itself, before what it read. */
type Answer =
  | { readonly ok: true; readonly encoding?: string }
  | { readonly ok: false; readonly code?: string; readonly message?: string }

function resultOf(
  { operation, content }: Order,
  {
    file,
    body,
    encoding,
  }: { readonly file: string; readonly body: string; readonly encoding?: string | undefined },
  { profile }: Attempt,
): JsonObject {
  if (operation === 'read')
    return { success: true, path: file, ...(encoding ? { encoding } : {}), output: body }
  if (operation === 'delete') return { success: true, path: file }
  if (operation !== 'list') return { success: true, path: file, bytes: Buffer.byteLength(content) }
  const entries = (JSON.parse(body) as { name: string; type: string }[])
    .filter((entry) => !isInAny(join(file, entry.name), profile.hidden))
    .sort((a, b) => byCodeUnits(a.name, b.name))
  return { success: true, path: file, output: entries.map((entry) => entry.name), entries }
}

/** Where the path really leads. Judged before it is looked for: whether something exists outside is not told either. */
function allowedFile({ operation, path }: Order, attempt: Attempt, project: string): string {
  if (operation === 'read' || operation === 'list')
    return mustAllow(followed(path), 'fs.read', attempt, project)
  // The last part is taken as it is: deleting a link removes the link, writing through one is refused.
  return mustAllow(join(followed(dirname(path)), basename(path)), 'fs.write', attempt, project)
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

function failed(
  order: Order,
  error: { readonly code?: string | undefined; readonly message?: string | undefined },
): ToolError {
  const reasons: Record<string, string> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder',
    ENOTDIR: 'is not a folder',
    ENOTEMPTY: 'is a folder that is not empty',
    EACCES: 'is not accessible to this user',
    ELOOP: 'is a link; writing goes to files only',
    ENXIO: 'is not a regular file',
    EROFS: 'may not be changed',
  }
  const reason = reasons[error.code ?? ''] ?? error.message ?? 'cannot be used'
  return new ToolError('TOOL_FAILED', `${order.operation}: ${order.path} ${reason}.`, {
    details: { code: error.code ?? '', path: order.path },
  })
}
