// One run of the command line: the common options, where output goes, and the crib it works on.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { lookUpwards } from '../../config/find-root.ts'
import { stateKey } from '../../config/foreign-state.ts'
import { type Crib, type CribOptions, openCrib } from '../../crib/open-crib.ts'
import { isPlainObject } from '../../tool/json.ts'
import { makePrincipal, type Principal } from '../../tool/principal.ts'
import { UsageError } from './command.ts'

export interface CommonOptions {
  readonly crib?: string
  readonly json?: boolean
  readonly strict?: boolean
  readonly frozen?: boolean
  readonly trustFolder?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly input?: boolean
  readonly yes?: boolean
}

interface Asking {
  readonly asksAboutFolder?: boolean
}

export class Session {
  readonly root: string
  readonly json: boolean
  readonly strict: boolean
  readonly frozen: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  readonly #takesInput: boolean
  readonly yes: boolean
  readonly #trustFolder: boolean
  readonly signal: AbortSignal
  /** What is to be said of which folder is the crib (G1). */
  readonly #where: string | undefined
  #crib: Crib | undefined

  constructor(options: CommonOptions, signal: AbortSignal) {
    const { root, passed } = options.crib ? { root: resolve(options.crib) } : lookUpwards()
    this.root = root
    if (!options.crib && root !== process.cwd()) this.#where = `The crib is ${root}.`
    if (passed)
      this.#where = `${passed.folder} ${passed.because}, so it is not taken for the crib; if you want it, name it with -C ${passed.folder}.`
    this.json = options.json === true
    this.strict = options.strict === true
    this.frozen = options.frozen === true
    this.quiet = options.quiet === true
    this.verbose = options.verbose === true
    this.#takesInput = options.input !== false && !this.json
    this.yes = options.yes === true
    this.#trustFolder = options.trustFolder === true
    this.signal = signal
  }

  get principal(): Principal {
    return makePrincipal({ surface: 'cli', name: process.env['USER'] ?? 'user', isAdmin: true })
  }

  /** How this session opens its crib. */
  get cribOptions(): CribOptions {
    return {
      root: this.root,
      strict: this.strict,
      frozen: this.frozen,
      trustFolder: this.#trustFolder || undefined,
    }
  }

  /**
   * False with --no-input and when nobody sits at the terminal: never ask. Looked up when there is a question, because
   * Node opens the standard streams on the first look at them.
   */
  get mayAsk(): boolean {
    return this.#takesInput && process.stdin.isTTY === true && process.stderr.isTTY === true
  }

  /** Opens the crib on first use; `close` ends it. A command that asks the person itself does not ask about the folder too. */
  async open({ asksAboutFolder = true, ...options }: CribOptions & Asking = {}): Promise<Crib> {
    if (this.#crib) return this.#crib
    // A mistyped name would be made a folder, and an empty crib.
    if (!statSync(this.root, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(
        `There is no folder ${this.root} to use as the crib.`,
        'See what -C names, or make the folder first.',
      )
    if (this.#where) this.note(this.#where)
    this.#crib = await openCrib({ ...this.cribOptions, ...options })
    this.#crib.on('note', ({ level, message }) => {
      if (level === 'error') this.fail(`error: ${message}`)
      else if (level === 'warn' || this.verbose) this.note(`${level}: ${message}`)
    })
    const open = asksAboutFolder ? this.#crib.folder.unaccepted(this.#crib.asks) : []
    if (open.length > 0 && this.mayAsk) {
      const { askAboutFolder } = await import('./folder-question.ts')
      await askAboutFolder(this, this.#crib)
    } else if (open.some(({ key }) => key === stateKey))
      this.note(
        'The runs, tokens and other records in .toolcrib/ were not made here and are not read. If they are yours (from version 0.1.0, or a copied folder), accept them with `toolcrib trust`.',
      )
    return this.#crib
  }

  async close(): Promise<void> {
    await this.#crib?.close()
  }

  /** Data, for pipes. */
  out(text: string): void {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  }

  /** One JSON document; an object names the crib that was opened for it (G1). */
  outJson(value: unknown): void {
    const named = this.#crib && isPlainObject(value) ? { ...value, root: this.root } : value
    this.out(JSON.stringify(named, null, process.stdout.isTTY ? 2 : undefined))
  }

  /** Why it failed; told under --quiet too. */
  fail(text: string): void {
    process.stderr.write(text.endsWith('\n') ? text : `${text}\n`)
  }

  /** Everything that is not data. */
  note(text: string): void {
    if (!this.quiet) process.stderr.write(text.endsWith('\n') ? text : `${text}\n`)
  }
}
