// How long reading one file of 300 lines takes, for docs/scoreboard.md.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { repository } from '../docs/pages.ts'
import { table } from '../docs/table.ts'
import { corpus } from './corpus.ts'

export const samples = { Python: 'py', JavaScript: 'ts', shell: 'sh' } as const
type Language = keyof typeof samples
const maxLines = 300

/** Harmless tools of the corpus one after the other, as one file that parses. */
export function sampleOf(language: Language): string {
  const tools = corpus()
    .filter((one) => one.language === language && one.nature === 'harmless')
    .map(({ code }) => code.replace(/^#!.*\n/, '').trimEnd())
  return language === 'JavaScript' ? oneModule(tools) : firstLines(tools)
}

function firstLines(texts: readonly string[]): string {
  return texts.join('\n').split('\n').slice(0, maxLines).join('\n')
}

/** Imports first, each tool in a block of its own; a tool that gives another thing a known name is left out. */
function oneModule(tools: readonly string[]): string {
  const imports = new Map<string, string>()
  const blocks: string[] = []
  let lines = 0
  for (const tool of tools) {
    const own = tool.split('\n').filter((line) => line.startsWith('import '))
    const names = own.flatMap((line) =>
      [...line.replace(/ from .*| as/g, '').matchAll(/[\w$]+/g)].map(([name]) => [name, line] as const),
    )
    const known = names.filter(([name]) => name !== 'import' && name !== 'type')
    if (known.some(([name, line]) => (imports.get(name) ?? line) !== line)) continue
    for (const [name, line] of known) imports.set(name, line)
    const body = tool
      .split('\n')
      .filter((line) => !line.startsWith('import '))
      .map((line) => line.replace(/^export (?:default )?/, ''))
    lines += body.length + 2
    if (lines + new Set(imports.values()).size > maxLines) break
    blocks.push(['{', ...body, '}'].join('\n'))
  }
  return [...new Set(imports.values()), ...blocks].join('\n')
}

const batches = 9

/** The reader as it ships: tests wrap every name that a module imports. */
async function builtReader(): Promise<string> {
  const outDir = join(repository, 'node_modules/.cache/toolcrib-reader')
  await build({
    configFile: false,
    root: repository,
    logLevel: 'warn',
    build: { ssr: 'src/trust/inference/infer-code.ts', outDir },
  })
  return join(outDir, 'infer-code.js')
}

function timeRow(reader: string, language: Language): string[] {
  const worker = fileURLToPath(new URL('time-reading.mjs', import.meta.url))
  const args = [worker, reader, `sample.${samples[language]}`, String(batches + 1)]
  const output = execFileSync(process.execPath, args, { input: sampleOf(language), encoding: 'utf8' })
  const [first = 0, ...others] = JSON.parse(output) as number[]
  const settled = others.slice(1).sort((a, b) => a - b)
  return [
    language,
    ...[first, settled[(batches - 1) / 2]!, settled[0]!].map((milliseconds) => milliseconds.toFixed(2)),
  ]
}

export async function timeSection(): Promise<string> {
  const reader = await builtReader()
  return [
    '## Time to read a file of 300 lines',
    '',
    `Milliseconds of CPU time a file, of the thread that reads, on the machine that wrote this page. What the compiler and the collector of V8 do on other threads meanwhile is not in it: about as much again, most of it at first. The first batch is 10 readings of a process that has read nothing yet, the others are 40. The aim is 2.`,
    '',
    table(
      ['language', 'first batch', `middle of ${batches} batches`, 'fastest batch'],
      (Object.keys(samples) as Language[]).map((language) => timeRow(reader, language)),
    ),
  ].join('\n')
}
