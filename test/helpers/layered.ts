// Runs programs on a real layer, for tests of what becomes of their file changes. Where no layer can be mounted the
// tests that need one are skipped, and the reason is printed.
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Layer, layerStep, makeLayer } from '../../src/sandbox/changes/layer.ts'
import { probeLauncher } from '../../src/sandbox/launcher/launcher.ts'
import { unnamedFile } from '../../src/sandbox/unnamed-file.ts'
import type { ViewStep } from '../../src/sandbox/view/view-step.ts'

const { found: engine, reason } = probeLauncher(undefined)
export const canLayer = engine?.layers === true
if (!canLayer) console.warn(`Tests on layers are skipped: ${reason ?? 'no overlay can be mounted here'}`)

/** A project and a state folder of its own, thrown away by `close`. */
export class LayeredProject {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), 'layered-')))
  readonly project = join(this.top, 'project')
  readonly state = join(this.top, 'state')
  #runs = 0

  constructor() {
    mkdirSync(this.project)
  }

  layer(): Layer {
    this.#runs += 1
    return makeLayer({ project: this.project, run: `run-${this.#runs}`, state: this.state })
  }

  /** Runs a program in the project on a layer; throws when it fails. */
  run(layer: Layer, file: string, args: readonly string[]): void {
    const folders = ['/usr', '/bin', '/lib', '/lib64'].filter((path) => existsSync(path))
    const steps: ViewStep[] = [
      ...folders.map(
        (path): ViewStep => ({
          kind: 'bind',
          source: realpathSync(path),
          target: path,
          isWritable: false,
        }),
      ),
      { kind: 'devices' },
      layerStep(layer),
      { kind: 'bind', source: this.project, target: this.project, isWritable: true },
    ]
    const spec = engine!.start({
      spec: { file, args, cwd: this.project, env: {} },
      steps,
      env: [['PATH', '/usr/bin:/bin']],
      way: undefined,
      processes: undefined,
      doors: [],
      limits: [],
    })
    const files = spec.handovers!.map(({ bytes }) => unnamedFile(bytes))
    const ended = spawnSync(spec.file, spec.args, {
      cwd: '/',
      env: {},
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', ...files],
    })
    for (const fd of files) closeSync(fd)
    if (ended.status !== 0) throw new Error(`${ended.status} ${ended.stdout}${ended.stderr}`)
  }

  /** Runs a shell script on a fresh layer. */
  shell(script: string): Layer {
    const layer = this.layer()
    this.run(layer, '/bin/sh', ['-ec', script])
    return layer
  }

  close(): void {
    rmSync(this.top, { recursive: true, force: true })
  }
}
