// Nodes as processes, started from a bundle: for tests and benches that need real ones.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Bundles the node once; `dir` is removed by the caller. */
export async function bundleNode(): Promise<{ readonly file: string; remove(): void }> {
  const dir = mkdtempSync(join(tmpdir(), 'crumbs-fleet-'))
  symlinkSync(here('../../../node_modules'), join(dir, 'node_modules'))
  await build({
    config: false,
    entry: { node: here('./fleet-node.ts') },
    outDir: dir,
    clean: false,
    dts: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  })
  return { file: join(dir, 'node.mjs'), remove: () => rmSync(dir, { recursive: true, force: true }) }
}

export class FleetNode {
  readonly #file: string
  readonly #args: readonly string[]
  #child: ChildProcess | null = null
  #isExpected = false
  log = ''
  /** How often it ended although nobody ended it, after it had been ready. */
  crashes = 0

  constructor(file: string, args: readonly string[]) {
    this.#file = file
    this.#args = args
  }

  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Resolves when the node takes work; tries again while its servers are away. */
  async start(): Promise<void> {
    for (;;) {
      const child = spawn(process.execPath, [this.#file, ...this.#args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      this.#child = child
      child.stderr.on('data', (chunk) => {
        this.log = (this.log + chunk).slice(-20_000)
      })
      const isReady = await new Promise<boolean>((resolve) => {
        child.stdout.once('data', () => resolve(true))
        child.once('exit', () => resolve(false))
      })
      if (!isReady) continue
      this.#isExpected = false
      child.once('exit', () => {
        if (!this.#isExpected) this.crashes++
      })
      return
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const child = this.#child
    if (!child || !this.isRunning) return child?.exitCode ?? null
    const gone = new Promise((resolve) => child.once('exit', resolve))
    this.#isExpected = true
    child.kill(signal)
    await gone
    return child.exitCode
  }
}
