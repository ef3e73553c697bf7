// Finds the interpreter of a runtime entry: the host's variable, then the entry's own lookup, then its fallback.
// What was found is remembered, and so is the program behind a version manager's shim, which is slow to ask.

import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { findOnPath } from '../../config/find-on-path.ts'
import { beginsWith } from '../../files/begins-with.ts'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { hiddenPlaces } from '../../sandbox/make-profile.ts'
import { closedProfile } from '../../sandbox/profile.ts'
import type { RyeInterpreter } from '../../tool/plans/rye-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { runToEnd } from '../../workers/run-to-end.ts'
import { baseEnvironment } from '../base-environment.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { type DiskMemo, openDiskMemo } from './disk-memo.ts'

const askMs = 10_000

/** How an interpreter that may stand behind a shim tells its own path. */
const selfNaming: readonly { readonly name: RegExp; readonly args: readonly string[] }[] = [
  { name: /^python[\d.]*$/, args: ['-c', 'import sys; print(sys.executable)'] },
  { name: /^node$/, args: ['-p', 'process.execPath'] },
]

export class Interpreters {
  readonly #env: RuntimeEnv
  readonly #memo: DiskMemo
  readonly #found = new Map<string, Promise<string>>()

  constructor(env: RuntimeEnv) {
    this.#env = env
    this.#memo = openDiskMemo(join(env.spaces.state, 'cache', 'interpreters.json'))
  }

  /** The absolute path of the interpreter. `roots` are the entry's search roots, already expanded. */
  async find(interpreter: RyeInterpreter, roots: readonly string[], host = process.env): Promise<string> {
    const own = interpreter.var === undefined ? undefined : host[interpreter.var]
    if (own && isAbsolute(own) && findOnPath(own) !== undefined) return this.#behindShim(own)
    const tried = own
      ? [`$${interpreter.var} (${own})`]
      : interpreter.var
        ? [`$${interpreter.var} (not set)`]
        : []
    const found =
      (await this.#lookUp(interpreter, roots, host, tried)) ??
      fromPath(interpreter.fallback, host, tried, 'fallback ')
    if (!found) {
      throw new ToolError('RUNTIME_MISSING', `No interpreter was found. Tried: ${tried.join(', ')}.`, {
        hint: interpreter.var
          ? `Install it, or set ${interpreter.var} to the path of the program.`
          : 'Install it, or put it on PATH.',
        details: { tried },
      })
    }
    return this.#behindShim(found)
  }

  async #lookUp(
    interpreter: RyeInterpreter,
    roots: readonly string[],
    host: NodeJS.ProcessEnv,
    tried: string[],
  ): Promise<string | undefined> {
    const names = [interpreter.binary, ...(interpreter.candidates ?? [])].filter((name) => name !== undefined)
    if (interpreter.type === 'command') return this.#ask(interpreter.resolveCmd ?? [], host, tried)
    if (interpreter.type === 'system_binary') {
      for (const name of names) {
        const file = fromPath(name, host, tried)
        if (file) return file
      }
      return undefined
    }
    for (const root of new Set([...roots, this.#env.spaces.project])) {
      for (const path of interpreter.searchPaths ?? []) {
        for (const name of names) {
          const file = join(root, path, name)
          if (findOnPath(file) !== undefined) return file
          tried.push(file)
        }
      }
    }
    return undefined
  }

  /** The first line a command prints. */
  async #ask(argv: readonly string[], host: NodeJS.ProcessEnv, tried: string[]): Promise<string | undefined> {
    const program = argv[0] === undefined ? undefined : findOnPath(argv[0], host['PATH'])
    tried.push(`the answer of \`${argv.join(' ')}\``)
    return program && this.#answerOf(program, argv.slice(1))
  }

  #behindShim(file: string): Promise<string> {
    let real = this.#found.get(file)
    if (!real) {
      real = this.#realProgram(file)
      this.#found.set(file, real)
      // A failed or outdated answer is asked again; the files that decide it are looked at each time.
      real.then(
        () => setTimeout(() => this.#found.delete(file), 5_000).unref(),
        () => this.#found.delete(file),
      )
    }
    return real
  }

  async #realProgram(file: string): Promise<string> {
    const way = selfNaming.find(({ name }) => name.test(basename(file)))
    if (!way || this.#isOfProject(file) || !beginsWith(file, '#!')) return file
    const key = [file, ...this.#shimFacts(file)].join('|')
    const known = this.#memo.get(key)
    if (known && findOnPath(known) !== undefined) return known
    const real = await this.#answerOf(file, way.args)
    if (real === undefined) return file
    this.#memo.set(key, real)
    return real
  }

  /** A program that another one names; one of the project is neither asked nor taken for an answer (G11). */
  async #answerOf(program: string, args: readonly string[]): Promise<string | undefined> {
    if (this.#isOfProject(program)) return undefined
    const line = await this.#firstLine(program, args)
    if (!line || !isAbsolute(line) || findOnPath(line) === undefined) return undefined
    const answer = resolve(line)
    return this.#isOfProject(answer) ? undefined : answer
  }

  #isOfProject(file: string): boolean {
    const { project } = this.#env.spaces
    return isInside(file, project) || isInside(nearestRealPath(file), nearestRealPath(project))
  }

  /** What a version manager's answer depends on, as far as files tell. */
  #shimFacts(file: string): string[] {
    const home = process.env['HOME'] ?? ''
    const { project } = this.#env.spaces
    return [
      file,
      join(project, '.python-version'),
      join(project, '.node-version'),
      join(project, '.nvmrc'),
      join(project, '.tool-versions'),
      join(home, '.tool-versions'),
      join(process.env['PYENV_ROOT'] ?? join(home, '.pyenv'), 'version'),
    ].map((path) => {
      try {
        return String(statSync(path).mtimeMs)
      } catch {
        return '-'
      }
    })
  }

  /** Behind the fence: what answers may be a file of the project, or a command that an entry of it names. */
  async #firstLine(program: string, args: readonly string[]): Promise<string | undefined> {
    const { project } = this.#env.spaces
    const env = baseEnvironment()
    // A version manager is read as a whole; of the home folder only the files in which it keeps its choice.
    const home = env['HOME'] ?? homedir()
    const choices = ['.tool-versions', '.config/mise'].map((name) => join(home, name))
    const manager = dirname(dirname(program))
    const read = [...choices, ...(isInside(home, manager) ? [] : [manager])].filter((path) =>
      existsSync(path),
    )
    const fenced = this.#env.fence.wrap(
      { file: program, args, cwd: project, env },
      {
        ...closedProfile,
        read: [project, ...read],
        hidden: hiddenPlaces(this.#env.spaces),
        subprocess: true,
      },
    )
    const ended = await runToEnd(this.#env.supervisor, fenced, {
      maxBytes: 65_536,
      timeoutMs: askMs,
      signal: new AbortController().signal,
    }).catch(() => undefined)
    return ended?.exitCode === 0 ? ended.stdout.text.split('\n', 1)[0]!.trim() : undefined
  }
}

function fromPath(
  name: string | undefined,
  host: NodeJS.ProcessEnv,
  tried: string[],
  label = '',
): string | undefined {
  if (name === undefined) return undefined
  const file = findOnPath(name, host['PATH'])
  if (!file) tried.push(`${label}${name} on PATH`)
  return file
}
