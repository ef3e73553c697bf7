// A crib in a temporary folder with a home of its own, opened as a program would, closed after the test.
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { makePrincipal, type Principal } from '../../src/tool/principal.ts'
import { tempFolder } from '../helpers/temp-folder.ts'

export interface OpenedCrib {
  readonly crib: Crib
  readonly root: string
  readonly home: string
}

/** Opens a crib over the files; `trust` is off unless the configuration says otherwise. */
export async function cribOf(
  files: { readonly [path: string]: string },
  config: { readonly [key: string]: unknown } = {},
  env: NodeJS.ProcessEnv = {},
): Promise<OpenedCrib> {
  const root = realpathSync(tempFolder(files))
  const home = realpathSync(tempFolder())
  mkdirSync(join(home, '.config'), { recursive: true })
  const crib = await openCrib({
    root,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), ...env },
    config: { trust: 'off', ...config },
  })
  onTestFinished(() => crib.close())
  return { crib, root, home }
}

/** Somebody with a token, as the HTTP and MCP surfaces make callers. */
export function tokenPrincipal(
  name: string,
  rights: Partial<Pick<Principal, 'grants' | 'allowedTools'>> = {},
): Principal {
  return makePrincipal({ surface: 'http', name, ...rights })
}

/** A Python tool: `body` is that of `execute(params, project)`. */
export function pythonTool(body: string, head = ''): string {
  const indented = body
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
  return `"""A tool."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = ""
__tool_description__ = "a tool"
import builtins, json, os, subprocess, sys
${head}
CONFIG_SCHEMA = {"type": "object", "properties": {}, "additionalProperties": True}

def execute(params, project):
${indented}
`
}

/** A Node tool: `body` is that of the default export. */
export function nodeTool(body: string): string {
  return `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'rye/core/runtimes/node/node'
export const __category__ = ''
export const __tool_description__ = 'a tool'
export const CONFIG_SCHEMA = { type: 'object', properties: {}, additionalProperties: true }
import fs from 'node:fs'
import { spawnSync } from 'node:child_process'
export default async function main(params, project) { ${body} }
`
}
