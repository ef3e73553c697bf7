// The official MCP conformance suite against a served crib. Its own program needs a newer Node than we ask for,
// so it runs under the Deno that Toolcrib brings; nothing is fetched.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { findDeno } from '../../../src/config/find-deno.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { openEverythingCrib } from './everything-crib.ts'

const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)
const baseline = fileURLToPath(new URL('expected-failures.yml', import.meta.url))

function deno(): string | undefined {
  try {
    return findDeno({ configured: null })
  } catch {
    return undefined
  }
}

const binary = deno()
if (!binary) console.warn('The conformance suite is skipped: there is no Deno on this machine.')

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** What the suite found, check by check. */
function checksIn(folder: string): Check[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('checks.json'))
    .flatMap((path) => JSON.parse(readFileSync(join(folder, path), 'utf8')) as Check[])
}

function scenariosIn(output: string): number {
  return output.match(/=== Running scenario: /g)?.length ?? 0
}

it.skipIf(!binary)(
  'passes every server scenario of the conformance suite, but for those listed with a reason',
  { timeout: 180_000 },
  async () => {
    const crib = await openEverythingCrib()
    const folder = tempFolder()
    try {
      const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
        execFile(
          binary!,
          [
            'run',
            '-A',
            '--no-remote',
            suite,
            'server',
            '--url',
            crib.url,
            '--suite',
            'all',
            '--expected-failures',
            baseline,
            '-o',
            folder,
          ],
          {
            cwd: folder,
            env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
            maxBuffer: 2 ** 26,
          },
          (error, stdout, stderr) =>
            resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
        )
      })
      const failed = checksIn(folder).filter((check) => check.status === 'FAILURE')
      expect(failed, output.slice(-4_000)).toEqual([])
      // All scenarios ran: a suite that finds nothing to check would pass too.
      expect(scenariosIn(output)).toBeGreaterThanOrEqual(32)
      expect(code, output.slice(-4_000)).toBe(0)
    } finally {
      await crib.close()
    }
  },
)
