// Every code block of the documentation is run, type-checked or validated, and every link leads somewhere.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { findOnPath } from '../../src/config/find-on-path.ts'
import { editorSchemas } from '../../src/surfaces/cli/editor-schemas.ts'
import { compileSchema } from '../../src/tool/schema/compile-schema.ts'
import { whyNoTrace } from '../helpers/has-strace.ts'
import { type CodeBlock, codeBlocks, proseOf, stepsOf } from './code-blocks.ts'
import { unknownParts } from './known-commands.ts'
import { pages, readPage, repository } from './pages.ts'
import { runPage } from './run-page.ts'

/** Blocks that are no code: output, trees, drawings. */
const plain = new Set(['', 'text', 'diff', 'mermaid'])
const runnable = ['console', 'sh', 'bash']
/** Pages about a folder of the repository, and pages whose commands other tests run. */
const seeds: { readonly [page: string]: string } = {
  'examples/rye/README.md': 'examples',
  'docs/mcp.md': 'examples',
}
/** Pages that leave their crib for a clone of the repository. */
const clones: { readonly [page: string]: readonly [seed: string, place: string] } = {
  'docs/automation.md': ['examples', '../toolcrib/examples'],
}
const runElsewhere: { readonly [page: string]: string } = {
  'README.md': 'test/readme.test.ts, in a terminal',
  'docs/cli.md': 'test/docs/cli-examples.test.ts',
}
const schemaFor: readonly (readonly [RegExp, string])[] = [
  [/(^|\/)toolcrib\.yaml$/, 'config'],
  [/\.examples\.yaml$/, 'examples'],
  [/(^|\/)tools\.json$/, 'tools-json'],
  [/(^|\/)crumbs\/.*\.json$/, 'tool-code'],
  [/\.ai\/tools\/.*\.yaml$/, 'rye'],
]

describe.each(pages)('%s', (page) => {
  const text = readPage(page)
  const blocks = codeBlocks(text)

  it('shows only blocks that are run, compiled or loaded by the crib', () => {
    const isChecked = ({ language, file }: CodeBlock) =>
      plain.has(language) || runnable.includes(language) || language === 'ts' || file !== undefined
    expect(
      blocks.filter((block) => !isChecked(block)).map(({ language, line }) => ({ language, line })),
    ).toEqual([])
    for (const { notRun, line } of blocks)
      if (notRun !== undefined) console.log(`not run: ${page}:${line} (${notRun})`)
  })

  it.runIf(
    runElsewhere[page] === undefined &&
      blocks.some(
        ({ language, file, notRun }) => (runnable.includes(language) && !notRun) || file !== undefined,
      ),
  )(
    'does what it says, block by block',
    async (test) => {
      if (/python|new rye/.test(text) && !findOnPath('python3')) test.skip('python3 is not here')
      if (text.includes('toolcrib learn') && whyNoTrace) test.skip(whyNoTrace)
      if (text.includes('curl ') && !findOnPath('curl')) test.skip('curl is not here')
      const mismatches = await runPage(blocks, ...(clones[page] ?? [seeds[page]]))
      expect(mismatches, JSON.stringify(mismatches, undefined, 2)).toEqual([])
    },
    300_000,
  )

  it('names only commands and options there are', async () => {
    const faults: string[] = []
    for (const block of blocks.filter(({ language }) => runnable.includes(language)))
      for (const line of commandLines(block))
        for (const fault of await unknownParts(line)) faults.push(`${page}:${block.line}: ${fault}`)
    expect(faults).toEqual([])
  })

  it('holds YAML and JSON that is valid, by its schema where it has one', async () => {
    for (const block of blocks.filter(({ language }) => language === 'yaml' || language === 'json')) {
      const documents = parseAllDocuments(block.text)
      const where = `${page}:${block.line}`
      for (const document of documents)
        expect([where, ...('errors' in document ? document.errors : [])]).toEqual([where])
      const name = schemaFor.find(([pattern]) => pattern.test(block.file ?? ''))?.[1]
      // Other crumbs lie in the same folder; only tools have a schema.
      if (!name || (name === 'tool-code' && !block.text.includes('tool.code.v1'))) continue
      const schema = compileSchema(await editorSchemas[name]!(), { fillDefaults: false })
      const [document] = documents as { toJS(): unknown }[]
      expect([where, ...schema.violations(document!.toJS())]).toEqual([where])
    }
  })

  it('links only to what is there', () => {
    const faults = linksOf(text).filter((link) => !resolves(page, link))
    expect(faults).toEqual([])
  })
})

it('the architecture page names the guards in their order', () => {
  const registry = readPage('src/guards/registry.ts')
  // A check that another one asks stands in a constant of its own.
  const constants = new Map(
    [...registry.matchAll(/^ {2}const (\w+) = (\w+)\(/gm)].map(([, constant, name]) => [constant!, name!]),
  )
  const guards = [...registry.matchAll(/^ {4}(\w+)[(,]/gm)].map(([, name]) =>
    (constants.get(name!) ?? name!).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  )
  expect(guards.length).toBeGreaterThan(10)
  expect(readPage('docs/architecture.md')).toContain(`outermost first: ${guards.join(', ')}.`)
})

it('every TypeScript block compiles against the package', () => {
  const sources = new Map<string, string>()
  for (const page of pages)
    for (const block of codeBlocks(readPage(page)).filter(({ language }) => language === 'ts'))
      sources.set(
        join(repository, `docs-block-${page.replaceAll('/', '-')}-${block.line}.ts`),
        `${block.text}\nexport {}\n`,
      )
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    baseUrl: repository,
    paths: {
      toolcrib: ['src/index.ts'],
      'toolcrib/skill': ['src/skill.ts'],
      'toolcrib/exports': ['src/exports.ts'],
    },
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.getSourceFile = (name, ...rest) =>
    sources.has(name)
      ? ts.createSourceFile(name, sources.get(name)!, ts.ScriptTarget.ES2023)
      : getSourceFile(name, ...rest)
  host.fileExists = (name) => sources.has(name) || fileExists(name)
  host.readFile = (name) => sources.get(name) ?? readFile(name)
  const program = ts.createProgram([...sources.keys()], options, host)
  const faults = [...sources.keys()].flatMap((name) => {
    const file = program.getSourceFile(name)!
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      (each) => `${name.slice(repository.length)}: ${ts.flattenDiagnosticMessageText(each.messageText, ' ')}`,
    )
  })
  expect(faults).toEqual([])
}, 120_000)

function commandLines({ language, text }: CodeBlock): string[] {
  return language === 'console' ? stepsOf(text).map(({ command }) => command) : text.split('\n')
}

function linksOf(text: string): string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!)
}

function resolves(page: string, link: string): boolean {
  if (/^(https?|mailto):/.test(link)) return URL.canParse(link)
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? join(repository, page) : resolve(repository, dirname(page), path)
  if (!existsSync(target)) return false
  if (anchor === undefined) return true
  const headings = [...proseOf(readPage(target.slice(repository.length))).matchAll(/^#+ (.*)$/gm)]
  return headings.some(([, heading]) => slug(heading!) === anchor)
}

/** The anchor GitHub gives a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
