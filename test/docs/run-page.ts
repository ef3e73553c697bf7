// Runs the console blocks of a page one after the other in a crib of its own, in which the files of the page lie.
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CodeBlock, outputPattern, stepsOf } from './code-blocks.ts'
import { repository } from './pages.ts'

export interface Mismatch {
  readonly line: number
  readonly command: string
  readonly shown: string
  readonly got: string
}

/** Every command whose output is not the one shown. `seed`: a folder of the repository to start from. */
export async function runPage(blocks: readonly CodeBlock[], seed?: string): Promise<Mismatch[]> {
  const home = mkdtempSync(join(tmpdir(), 'toolcrib-docs-'))
  const crib = join(home, 'crib')
  const bin = join(home, 'bin')
  mkdirSync(crib)
  mkdirSync(bin)
  if (seed)
    cpSync(join(repository, seed), crib, { recursive: true, filter: (path) => !path.includes('.toolcrib') })
  for (const [name, line] of [
    ['toolcrib', `exec ${process.execPath} ${join(repository, 'dist/cli.js')} "$@"`],
    ['npx', 'if [ "$1" = -y ]; then shift; fi\nexec "$@"'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, USER: 'ada', LANG: 'C.UTF-8' }
  const mismatches: Mismatch[] = []
  try {
    for (const block of blocks) {
      if (block.file !== undefined) {
        mkdirSync(dirname(join(crib, block.file)), { recursive: true })
        writeFileSync(join(crib, block.file), block.text)
      }
      if (block.language !== 'console' || block.isShown) continue
      for (const { command, output } of stepsOf(block.text)) {
        const got = (await sh(command, crib, env)).replaceAll(crib, '/crib').replaceAll(home, '/home/ada')
        if (!outputPattern(output).test(got.trimEnd()))
          mismatches.push({ line: block.line, command, shown: output, got })
      }
    }
    return mismatches
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** What a command prints, both streams as they come. */
function sh(command: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec 2>&1; ${command}`], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text))
  })
}
