// The environment of a reader who follows the documentation: the built program as `toolcrib` and behind npx, and a home
// folder of their own.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './pages.ts'

export function readerEnv(home: string): Record<string, string> {
  const bin = join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  for (const [name, line] of [
    ['toolcrib', `exec ${process.execPath} ${join(repository, 'dist/cli.js')} "$@"`],
    ['npx', 'if [ "$1" = -y ]; then shift; fi\nexec "$@"'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: home,
    TOOLCRIB_TRUST_FOLDER: '1',
    USER: 'ada',
    LANG: 'C.UTF-8',
  }
}
