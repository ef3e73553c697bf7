// Every code block of the documentation is run, type-checked or validated, and every link leads somewhere.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { findOnPath } from '../../src/config/find-on-path.ts'
import { editorSchemas } from '../../src/surfaces/cli/editor-schemas.ts'
import { compileSchema } from '../../src/tool/schema/compile-schema.ts'
import { type CodeBlock, codeBlocks, proseOf, stepsOf } from './code-blocks.ts'
import { unknownParts } from './known-commands.ts'
import { pages, readPage, repository } from './pages.ts'
import { runPage } from './run-page.ts'

/** Blocks that are no code: output, trees, drawings, other people's files. */
const plain = new Set(['', 'text', 'diff', 'mermaid', 'xml', 'toml', 'ini'])
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

  it('shows only blocks that are checked', () => {
    const known = new Set([...plain, 'console', 'sh', 'bash', 'ts', 'yaml', 'json'])
    const files = blocks.filter((block) => block.file !== undefined).map((block) => block.language)
    for (const language of files) known.add(language)
    expect(
      blocks.filter((block) => !known.has(block.language)).map(({ language, line }) => ({ language, line })),
    ).toEqual([])
  })

  it.runIf(page !== 'README.md' && blocks.some((block) => block.language === 'console' && !block.isShown))(
    'gives the output it shows',
    async (test) => {
      if (/python|new rye/.test(text) && !findOnPath('python3')) test.skip('python3 is not here')
      expect(await runPage(blocks)).toEqual([])
    },
    300_000,
  )

  it('names only commands and options there are', async () => {
    const faults: string[] = []
    for (const block of blocks.filter(({ language }) => ['sh', 'bash', 'console'].includes(language)))
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

it('every TypeScript block compiles against the package', () => {
  const sources = new Map<string, string>()
  for (const page of pages)
    for (const block of codeBlocks(readPage(page)).filter(
      ({ language, file }) => language === 'ts' && file === undefined,
    ))
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
