// Follows a page as its reader does: one shell in a crib of its own, in which the files of the page lie, and every
// command of the page in its order.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CodeBlock, outputPattern, stepsOf } from './code-blocks.ts'
import { freePort } from './free-port.ts'
import { repository } from './pages.ts'
import { readerEnv } from './reader-env.ts'
import { ReaderShell } from './reader-shell.ts'

export interface Mismatch {
  readonly line: number
  readonly command: string
  /** The output of a console block; for other blocks that they succeed. */
  readonly shown: string
  readonly got: string
}

/**
 * Every command that does other than the page says. `seed`: a folder of the repository that lies in the crib, or at
 * `place` seen from there.
 */
export async function runPage(
  blocks: readonly CodeBlock[],
  seed?: string,
  place = seed,
): Promise<Mismatch[]> {
  const home = mkdtempSync(join(tmpdir(), 'toolcrib-docs-'))
  const crib = join(home, 'crib')
  mkdirSync(crib)
  if (seed && place)
    cpSync(join(repository, seed), join(crib, place), {
      recursive: true,
      filter: (path) => !path.includes('/.toolcrib'),
    })
  if (blocks.some(({ file, text }) => file !== undefined && text.includes("from 'toolcrib'"))) {
    mkdirSync(join(crib, 'node_modules'))
    symlinkSync(repository, join(crib, 'node_modules/toolcrib'))
  }
  const port = String(await freePort())
  const shell = new ReaderShell(crib, { ...readerEnv(home), TOOLCRIB_PORT: port })
  const run = async (command: string) => {
    const { code, output } = await shell.run(command.replaceAll('4747', port))
    return {
      code,
      got: output
        .replaceAll(port, '4747')
        .replaceAll(repository, '/toolcrib/')
        .replaceAll(crib, '/crib')
        .replaceAll(home, '/home/ada'),
    }
  }
  const mismatches: Mismatch[] = []
  const put = ({ file, text }: CodeBlock) => {
    if (file === undefined) return
    mkdirSync(dirname(join(crib, file)), { recursive: true })
    writeFileSync(join(crib, file), text)
  }
  for (const block of blocks) if (block.isInHead) put(block)
  try {
    for (const block of blocks) {
      const { language, text, line, serves, notRun } = block
      if (!block.isInHead) put(block)
      if (notRun !== undefined) continue
      if (language === 'console')
        for (const { command, output } of stepsOf(text)) {
          const { got } = await run(command)
          if (!outputPattern(output).test(got.trimEnd()))
            mismatches.push({ line, command, shown: output, got })
        }
      else if (language === 'sh' || language === 'bash') {
        const command = serves ? `${text.trim()} > .served 2>&1 & ${untilReady}` : `set -e\n${text}`
        const { code, got } = await run(serves ? command : `(${command})`)
        if (code !== 0) mismatches.push({ line, command: text, shown: 'exit 0', got: `exit ${code}\n${got}` })
      }
    }
    const left = await faultyFiles(run, blocks)
    return [...mismatches, ...left]
  } finally {
    await shell.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const untilReady = 'until grep -q ready .served; do kill -0 $! || break; sleep 0.1; done; kill -0 $!'

/** Files of the page that the crib finds fault with, but for those that are broken or an excerpt on purpose. */
async function faultyFiles(
  run: (command: string) => Promise<{ got: string }>,
  blocks: readonly CodeBlock[],
): Promise<Mismatch[]> {
  const { got } = await run('toolcrib check --json 2>/dev/null')
  const { problems } = JSON.parse(got) as {
    problems: { code: string; severity: string; file?: string; line?: number; message: string }[]
  }
  const isMeant = ({ code, file }: { code: string; file?: string }) =>
    blocks.some(
      (block) =>
        block.file === file?.replace(/^\/crib\//, '') &&
        (block.isBroken || (block.isExcerpt && code === 'grant-unmatched')),
    )
  return problems
    .filter((problem) => problem.severity === 'error' && !isMeant(problem))
    .map(({ file, message, line }) => ({
      line: line ?? 0,
      command: `check ${file}`,
      shown: '',
      got: message,
    }))
}
