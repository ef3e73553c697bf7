// The plugins that settings name. Their code runs in this process; settings name those of a folder only once the user
// accepted them (G2).
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { LoadedConfig } from '../config/load-config.ts'
import { importNative } from '../runtimes/skill/import-native.ts'
import { sha256 } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { messageOf } from '../tool/tool-error.ts'
import { type GivenPlugin, type Pieces, piecesOf, pluginProblem } from './plugin.ts'

export interface PluginSources {
  readonly loaded: LoadedConfig
  /** Given by the program that embeds the crib. */
  readonly use?: readonly unknown[] | undefined
}

export async function loadPieces(sources: PluginSources): Promise<Pieces> {
  const { loaded, use = [] } = sources
  const plugins: GivenPlugin[] = use.map((given) => ({ given }))
  const problems: Problem[] = []
  for (const path of loaded.config.plugins) {
    try {
      const stamp = sha256(readFileSync(path))
      const module = await importNative(`${pathToFileURL(path).href}?${stamp.slice(0, 16)}`)
      plugins.push({ given: module['default'] ?? module['plugin'], file: path, stamp })
    } catch (error) {
      problems.push(pluginProblem(path, `it cannot be loaded (${messageOf(error)})`, path))
    }
  }
  return piecesOf(plugins, problems)
}
