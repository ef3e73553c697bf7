// Where a hint is printed and followed: a crib in a folder of its own, asked through each surface inside this process.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { FunctionTool } from '../../../src/crib/added-tools.ts'
import { type Crib, type CribOptions, openCrib } from '../../../src/crib/open-crib.ts'
import { serveCrib } from '../../../src/surfaces/http/serve-crib.ts'
import { errorData, isToolError } from '../../../src/tool/tool-error.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { toolcribHere } from '../../helpers/toolcrib-here.ts'
import { type Files, put } from './put.ts'

export type Env = { readonly [name: string]: string }

/** What was said at a step, and whether it went well. */
export interface Said {
  readonly isOk: boolean
  readonly said: string
}

export type Step = (at: Place) => unknown
/** Shows the hint; does what it says, and what was refused before. */
export type Followed = readonly [shown: Step, followed: Step]
export type Table = { readonly [hint: string]: Followed }

export class Place {
  readonly root: string
  readonly env: Env
  #served: { url: string; token: string } | undefined

  constructor() {
    const folder = tempFolder()
    this.root = join(folder, 'crib')
    mkdirSync(this.root)
    this.env = { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), TOOLCRIB_TRUST_FOLDER: '1' }
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts)
  }

  put(files: Files): void {
    put(this.root, files)
  }

  /** The crib, open for as long as `use` takes. */
  async crib<T>(
    use: (crib: Crib) => Promise<T> | T,
    { files = {}, env = {}, ...options }: CribOptions & { readonly files?: Files } = {},
  ): Promise<T> {
    this.put(files)
    await using crib = await openCrib({ root: this.root, env: { ...this.env, ...env }, ...options })
    return await use(crib)
  }

  /** Calls a tool, in a crib with these files. */
  call(
    files: Files,
    ref: string,
    params: unknown = {},
    options: CribOptions & { readonly call?: object } = {},
  ) {
    const { call, ...open } = options
    return this.crib((crib) => crib.call(ref, params, call), { files, ...open })
  }

  /** Calls a tool that a program adds to the crib. */
  callAdded(tool: FunctionTool, params?: unknown, options: CribOptions & { readonly call?: object } = {}) {
    const { call, ...open } = options
    return this.crib((crib) => {
      crib.addTool(tool)
      return crib.call(tool.id, params, call)
    }, open)
  }

  check(files: Files = {}, options: CribOptions = {}) {
    return this.crib(async (crib) => (await crib.check()).problems, { files, ...options })
  }

  /** Runs a command in the crib. */
  async cli(args: readonly string[], { files = {}, env = {}, input = '' }: CliOptions = {}): Promise<Said> {
    this.put(files)
    const ran = await toolcribHere(args, { cwd: this.root, env: { ...this.env, ...env }, input })
    return { isOk: ran.code === 0, said: `${ran.stderr}\n${ran.stdout}` }
  }

  /** Asks the server of the crib, which starts with the first question. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of many shapes
  async ask(method: string, path: string, body?: unknown, asked: Asked = {}): Promise<Said & { body: any }> {
    const { url, token } = await this.#serve(asked.serve ?? {})
    const bearer = asked.token === undefined ? token : asked.token
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    })
    const said = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const read = isJson ? JSON.parse(said) : undefined
    return { isOk: response.ok && read?.ok !== false, said: hintIn(read) ?? said, body: read ?? said }
  }

  async #serve(options: object): Promise<{ url: string; token: string }> {
    if (this.#served) return this.#served
    const crib = await openCrib({ root: this.root, env: this.env })
    const served = await serveCrib(crib, { port: 0, watch: false, env: this.env, ...options })
    onTestFinished(async () => {
      await served.close(0)
      await crib.close()
    })
    this.#served = { url: served.url, token: served.token! }
    return this.#served
  }
}

interface CliOptions {
  readonly files?: Files
  readonly env?: Env
  readonly input?: string
}

interface Asked {
  readonly serve?: object
  /** null: none at all. */
  readonly token?: string | null
  readonly headers?: { readonly [name: string]: string }
}

/** The hint of an answer, wherever its shape has one. */
function hintIn(body: unknown): string | undefined {
  const { hint, error } = (body ?? {}) as { hint?: string; error?: { hint?: string } }
  return hint ?? error?.hint
}

/** What became of a step, whatever it gave back: an outcome, an answer, problems, a text, or an error. */
export async function take(step: Step, at: Place): Promise<Said> {
  try {
    return judged(await step(at))
  } catch (error) {
    if (!isToolError(error) && !(error instanceof Error && 'hint' in error)) throw error
    const { hint, message } = isToolError(error) ? errorData(error) : (error as Error & { hint: string })
    return { isOk: false, said: hint ?? message }
  }
}

function judged(result: unknown): Said {
  if (typeof result === 'string') return { isOk: true, said: result }
  if (Array.isArray(result)) return { isOk: true, said: result.map((each) => hintIn(each) ?? '').join('\n') }
  if (isToolError(result)) return { isOk: false, said: result.hint ?? '' }
  if (typeof result !== 'object' || result === null) return { isOk: true, said: '' }
  if ('isOk' in result) return result as Said
  if ('ok' in result) return { isOk: result.ok === true, said: hintIn(result) ?? JSON.stringify(result) }
  return { isOk: true, said: hintIn(result) ?? '' }
}
