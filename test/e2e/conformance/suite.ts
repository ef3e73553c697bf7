// The official MCP conformance suite as a program. It needs a newer Node than we ask for, so it runs under the Deno that
// Toolcrib brings; nothing is fetched.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { findDeno } from '../../../src/config/find-deno.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

/** What one scenario found. */
export interface ScenarioResult {
  readonly scenario: string
  readonly passed: readonly string[]
  /** The checks that did not pass, with what the suite says of them. */
  readonly failed: { readonly [check: string]: string }
}

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

/** Why the suite cannot run here; undefined when it can. */
export function whyNot(): string | undefined {
  try {
    program()
    findDeno({ configured: null })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function program(): string {
  const { resolve } = createRequire(import.meta.url)
  return join(dirname(resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js')
}

/** Runs the suite with these arguments; the results of every scenario that ran, by name. */
export async function runSuite(args: readonly string[]): Promise<ScenarioResult[]> {
  const folder = tempFolder()
  const said = await new Promise<string>((resolve) => {
    execFile(
      findDeno({ configured: null }),
      ['run', '-A', '--no-remote', program(), ...args, '-o', folder],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
        maxBuffer: 2 ** 26,
      },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    )
  })
  const results = checkFiles(folder).map((path) => resultOf(folder, path))
  if (results.length === 0) throw new Error(`The conformance suite ran no scenario:\n${said.slice(-4_000)}`)
  return results.sort((a, b) => (a.scenario < b.scenario ? -1 : 1))
}

function checkFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('checks.json'),
  )
}

function resultOf(folder: string, path: string): ScenarioResult {
  const checks = JSON.parse(readFileSync(join(folder, path), 'utf8')) as Check[]
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const failedIds = new Set(failed.map(({ id }) => id))
  return {
    scenario: dirname(path)
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d{2}-\d{2}T.*$/, ''),
    passed: [...new Set(checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id))].filter(
      (id) => !failedIds.has(id),
    ),
    failed: Object.fromEntries(failed.map(({ id, errorMessage = '' }) => [id, errorMessage])),
  }
}
