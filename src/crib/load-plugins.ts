// The plugins that settings name. Their code runs in this process, so those of a folder are loaded only once the user
// accepted the folder.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFolderAccepted } from '../config/folder-trust.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Spaces } from '../config/spaces.ts'
import { importNative } from '../runtimes/skill/import-native.ts'
import { sha256 } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { messageOf } from '../tool/tool-error.ts'
import { type GivenPlugin, type Pieces, piecesOf, pluginProblem } from './plugin.ts'

export interface PluginSources {
  readonly loaded: LoadedConfig
  readonly spaces: Spaces
  readonly env: NodeJS.ProcessEnv
  readonly trustFolder?: boolean | undefined
  /** Given by the program that embeds the crib. */
  readonly use?: readonly unknown[] | undefined
}

export async function loadPieces(sources: PluginSources): Promise<Pieces> {
  const { loaded, use = [] } = sources
  const plugins: GivenPlugin[] = use.map((given) => ({ given }))
  const problems: Problem[] = []
  const file = join(sources.spaces.project, 'toolcrib.yaml')
  const isFolders = loaded.origins['plugins'] === file
  if (isFolders && !isFolderAccepted(sources)) {
    if (loaded.config.plugins.length > 0) problems.push(notAccepted(loaded.config.plugins, file))
    return piecesOf(plugins, problems)
  }
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

function notAccepted(plugins: readonly string[], file: string): Problem {
  return {
    code: 'plugin-not-accepted',
    severity: 'warning',
    message: `This folder asks to load ${plugins.join(', ')}, which runs as you do; it is not loaded.`,
    hint: 'Read the file; then accept it for one run with `--trust-folder` or TOOLCRIB_TRUST_FOLDER=1.',
    file,
  }
}
