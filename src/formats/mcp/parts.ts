// What a server and its tools are made of: the scripts of the project that its command line names, its envFile, and its program.
import { join, resolve } from 'node:path'
import { stateFolderOf } from '../../config/state-folder.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { hostsOf } from '../hosts-of.ts'
import { namedScripts } from '../named-scripts.ts'
import type { Kept, ToolParts } from '../tool-parts.ts'
import { installedPackage } from './installed-package.ts'
import { packageFiles } from './package-files.ts'
import { packageRunner } from './package-runner.ts'
import { homeFolder, installedFile, layerFolder, packageFolder } from './server-folder.ts'
import { specOf } from './server-tool.ts'

export const mcpParts: ToolParts = { files, programs, hosts, keeps }

/** The spec of a server entry, or of the server a foreign tool belongs to. */
function serverSpecOf(tool: Tool): McpServerSpec | undefined {
  return specOf(tool) ?? planOf(tool, 'mcp')?.server
}

function files(tool: Tool, project: string): string[] {
  const spec = serverSpecOf(tool)
  if (spec?.transport !== 'stdio') return []
  const cwd = resolve(project, spec.cwd ?? '.')
  const envFile = spec.envFile === undefined ? [] : [resolve(project, spec.envFile)]
  const isPackage = packageRunner(spec.command!, spec.args ?? []) !== undefined
  const installed = isPackage
    ? [installedFile, 'package-lock.json'].map((name) =>
        join(packageFolder(stateFolderOf(project), spec.name), name),
      )
    : []
  const words = [spec.command!, ...(spec.args ?? []), ...envFile, ...installed]
  return namedScripts(words, { folders: [cwd], project })
}

function programs(tool: Tool): string[] {
  const spec = serverSpecOf(tool)
  const { command } = spec ?? {}
  if (!command || command.includes('$') || packageRunner(command, spec?.args ?? [])) return []
  return [command]
}

function hosts(tool: Tool): string[] {
  const url = serverSpecOf(tool)?.url
  return url === undefined ? [] : hostsOf(url)
}

/** The home of a server that runs here, and where one from a package has what it writes beside its program (D10). */
function keeps(tool: Tool, state: string): Kept[] {
  const spec = serverSpecOf(tool)
  if (spec?.transport !== 'stdio') return []
  const home = { what: 'home of the server', folder: homeFolder(state, spec.name) }
  const runner = packageRunner(spec.command!, spec.args ?? [])
  const installed = runner && installedPackage(state, spec.name, runner)
  const hasLayer = installed !== undefined && packageFiles(state, spec.name, installed) !== undefined
  const layer = { what: 'beside its program', folder: layerFolder(state, spec.name) }
  return hasLayer ? [home, layer] : [home]
}
