// Which engine puts walls around a process on this machine? Each is probed once, by its first use.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { probeBubblewrap } from './bubblewrap/bubblewrap.ts'
import { type Engine, type EngineName, type EngineProbe, engineNames, strengthOf } from './engine.ts'
import { probeLauncher } from './launcher/launcher.ts'
import type { OpenFenceOptions } from './open-fence.ts'

const probes = { bubblewrap: probeBubblewrap, launcher: probeLauncher }

export class Engines {
  readonly #options: Pick<OpenFenceOptions, 'engine' | 'probe' | 'cacheFile'>
  readonly #probes = new Map<EngineName, EngineProbe>()
  /** Those that may be used, best first. */
  #engines: readonly Engine[] | undefined

  constructor(options: Pick<OpenFenceOptions, 'engine' | 'probe' | 'cacheFile'>) {
    this.#options = options
  }

  probe(name: EngineName): EngineProbe {
    let probe = this.#probes.get(name)
    if (!probe) {
      probe = this.#options.probe?.[name] ?? probes[name](cacheFile(this.#options.cacheFile))
      this.#probes.set(name, probe)
    }
    return probe
  }

  /** The engine in use: the one that the settings name, else the best that can hold writes where asked. */
  best(holdsWrites: boolean): Engine | undefined {
    this.#engines ??= (this.#options.engine === undefined ? engineNames : [this.#options.engine])
      .flatMap((name) => this.probe(name).found ?? [])
      .sort((one, other) => strengthOf(other) - strengthOf(one))
    return (holdsWrites ? this.#engines.find(({ layers }) => layers) : undefined) ?? this.#engines[0]
  }
}

function cacheFile(given: string | null | undefined): string | undefined {
  if (given !== undefined) return given ?? undefined
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'toolcrib', 'layers.json')
}
