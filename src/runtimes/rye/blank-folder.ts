// An empty folder to mount over hidden ones. A tmpfs would not do: podman copies into it what it is to hide.
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Supervisor } from '../../workers/supervisor.ts'

export class BlankFolder {
  readonly #supervisor: Supervisor
  #made: { readonly path: string; takeBack(): void } | undefined

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor
  }

  /** Made on first use; gone with this process, however that ends. */
  get path(): string {
    if (!this.#made) {
      const path = mkdtempSync(join(tmpdir(), 'toolcrib-blank-'))
      const removal = { file: '/bin/rmdir', args: [path], cwd: '/', env: {} }
      this.#made = { path, takeBack: this.#supervisor.leave(removal) }
    }
    return this.#made.path
  }

  close(): void {
    const made = this.#made
    if (!made) return
    this.#made = undefined
    try {
      rmdirSync(made.path)
      made.takeBack()
    } catch {
      // Still somebody's mount: it is tried again when this process is gone.
    }
  }
}
