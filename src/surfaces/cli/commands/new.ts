// `toolcrib new`: a working, documented tool file of a format, with an example to test.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { systemSpace } from '../../../config/spaces.ts'
import { openCrib } from '../../../crib/open-crib.ts'
import { nearNames } from '../../../tool/near-names.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { writeEditorSchemas } from '../editor-schemas.ts'
import type { Session } from '../session.ts'

interface Template {
  /** Template file in `system/templates` → path of the new file. */
  readonly files: readonly (readonly [string, (names: Names) => string])[]
  /** The new file is an MCP server, which `.mcp.json` must name. */
  readonly isServer?: boolean
}

interface Names {
  readonly id: string
  readonly category: string
  readonly stem: string
  readonly kebab: string
  readonly snake: string
  readonly title: string
}

const rye = (ending: string, examples: string): Template => ({
  files: [
    [`rye.${ending}.tmpl`, ({ id }) => `.ai/tools/${id}.${ending}`],
    [`${examples}.examples.tmpl`, ({ id }) => `.ai/tools/${id}.examples.yaml`],
  ],
})

const templates: { readonly [format: string]: { readonly [language: string]: Template } } = {
  rye: {
    py: rye('py', 'rye'),
    js: rye('js', 'rye'),
    ts: rye('ts', 'rye'),
    sh: rye('sh', 'rye'),
    yaml: rye('yaml', 'rye-yaml'),
  },
  'tools-json': {
    json: {
      files: [
        ['tools-json.SKILL.md.tmpl', ({ kebab }) => `skills/${kebab}/SKILL.md`],
        ['tools-json.tools.json.tmpl', ({ kebab }) => `skills/${kebab}/tools.json`],
        ['tools-json.examples.tmpl', ({ kebab }) => `skills/${kebab}/tools.examples.yaml`],
      ],
    },
  },
  'tool-code': { json: { files: [['tool-code.json.tmpl', ({ snake }) => `crumbs/${snake}.json`]] } },
  skill: {
    js: {
      files: [
        ['skill.js.tmpl', ({ kebab }) => `skills/${kebab}.skill.js`],
        ['skill.examples.tmpl', ({ kebab }) => `skills/${kebab}.skill.examples.yaml`],
      ],
    },
    ts: {
      files: [
        ['skill.ts.tmpl', ({ kebab }) => `skills/${kebab}.skill.ts`],
        ['skill.examples.tmpl', ({ kebab }) => `skills/${kebab}.skill.examples.yaml`],
      ],
    },
    md: {
      files: [
        ['skill.md.tmpl', ({ kebab }) => `skills/${kebab}.skill.md`],
        ['skill-md.examples.tmpl', ({ kebab }) => `skills/${kebab}.skill.examples.yaml`],
      ],
    },
  },
  mcp: {
    js: { files: [['mcp.server.mjs.tmpl', ({ kebab }) => `servers/${kebab}.mjs`]], isServer: true },
  },
}

/** Of a tool in a format that has no folders of tools. */
const longestName = 64

export const newTool: CliCommand = {
  words: Object.keys(templates),
  examples: [
    ['toolcrib new', 'asks for format, language and id'],
    ['toolcrib new rye text/count', 'a Python tool at .ai/tools/text/count.py'],
    ['toolcrib new rye text/longest --language ts', 'the same in TypeScript; also js, sh, yaml'],
    ['toolcrib new tools-json find-text', 'a skill folder that maps parameters to an allowlisted command'],
    ['toolcrib new tool-code word_count', 'a tool.code.v1 document for the Deno sandbox'],
    ['toolcrib new skill word-count', 'a code skill; --language md for one a model runs'],
    ['toolcrib new mcp words', 'a small MCP server, named in .mcp.json'],
  ],
  define(command) {
    command
      .argument('[format]', `${Object.keys(templates).join(', ')}; asked for on a terminal`)
      .argument('[id]', 'id of the new tool; asked for on a terminal')
      .option('--language <language>', 'language of the file; the first of the format by default')
  },
  async run(session, [format, id], options) {
    const wanted = await complete(session, {
      format,
      id,
      language: options['language'] as string | undefined,
    })
    const files = await writeTool(session, wanted.format, wanted.id, wanted.language)
    await writeEditorSchemas(session.root)
    if (session.json) session.outJson({ files })
    else {
      for (const file of files) session.out(file)
      const ref = refOf(wanted.format, wanted.id)
      session.note(`Next: toolcrib check && toolcrib test ${ref}, then edit the file to your liking.`)
      session.note(`Call it: toolcrib run ${ref} --help`)
    }
    return 0
  },
}

interface Wanted {
  readonly format: string
  readonly id: string
  readonly language: string | undefined
}

/** What was not given is asked for; without a terminal that is wrong usage. */
async function complete(
  session: Session,
  given: { format: string | undefined; id: string | undefined; language: string | undefined },
): Promise<Wanted> {
  const { format, id, language } = given
  if (format !== undefined && id !== undefined) return { format, id, language }
  if (!session.mayAsk)
    throw new UsageError(
      format === undefined ? 'Which format, and which id?' : `Which id should the new ${format} tool have?`,
      `For example: toolcrib new ${format ?? 'rye'} text/count. Formats: ${Object.keys(templates).join(', ')}.`,
    )
  const { askForTool } = await import('../ask-for-tool.ts')
  const languages = Object.fromEntries(
    Object.entries(templates).map(([name, byLanguage]) => [name, Object.keys(byLanguage)]),
  )
  return askForTool(languages, given, (text) => void namesOf(text))
}

/** The id under which the new tool is called. */
function refOf(format: string, id: string): string {
  const { kebab, snake } = namesOf(id)
  if (format === 'tools-json') return `${snake}_search`
  if (format === 'mcp') return `${kebab}-count`
  return format === 'tool-code' ? snake : format === 'skill' ? kebab : id
}

async function writeTool(
  session: Session,
  format: string,
  id: string,
  language: string | undefined,
): Promise<string[]> {
  const languages = templates[format]
  if (!languages) return writeOwn(session, format, id)
  const template = languages[language ?? Object.keys(languages)[0]!]
  if (!template)
    throw new UsageError(
      `${format} has no template in "${language}".`,
      `Known: ${Object.keys(languages).join(', ')}.`,
    )
  const ref = refOf(format, id)
  if (format !== 'rye' && ref.length > longestName)
    throw new UsageError(
      `"${ref}" is too long for a ${format} tool.`,
      `Its name may have at most ${longestName} characters.`,
    )
  const names = namesOf(id)
  const planned = template.files.map(([from, to]) => ({ from, to: join(session.root, to(names)) }))
  refuseTaken(planned.map(({ to }) => to))
  const enter = template.isServer ? await serverEntry(session.root, names, planned[0]!.to) : undefined
  const folder = join(systemSpace(), 'templates')
  for (const file of planned) {
    mkdirSync(dirname(file.to), { recursive: true })
    writeFileSync(
      file.to,
      fill(readFileSync(join(folder, file.from), 'utf8'), {
        ...names,
        schemas: schemasFrom(session.root, file.to),
      }),
      {
        flag: 'wx',
        mode: file.to.endsWith('.sh') ? 0o755 : 0o644,
      },
    )
  }
  const entered = enter?.() ?? []
  if (enter) await acceptServer(session.root, names.kebab)
  return [...planned.map((file) => file.to), ...entered]
}

/** The user asked for this server, so it counts (G2). */
async function acceptServer(root: string, name: string): Promise<void> {
  await using crib = await openCrib({ root, trustFolder: false })
  crib.folder.decide(
    crib.asks.filter((ask) => ask.key === `server ${name}`),
    true,
  )
}

/** The file of a format that a plugin brings. */
async function writeOwn(session: Session, name: string, id: string): Promise<string[]> {
  const own = (await (await session.open()).formats()).filter(({ template }) => template !== undefined)
  const files = own.find((format) => format.name === name)?.template?.(namesOf(id).id)
  if (!files) {
    const known = [...Object.keys(templates), ...own.map((format) => format.name)]
    const near = nearNames(name, known, 1)[0]
    throw new UsageError(
      `There is no template for "${name}".`,
      `${near === undefined ? '' : `Did you mean "${near}"? `}Known: ${known.join(', ')}.`,
    )
  }
  const paths = Object.keys(files).map((path) => join(session.root, path))
  refuseTaken(paths)
  for (const [index, text] of Object.values(files).entries()) {
    mkdirSync(dirname(paths[index]!), { recursive: true })
    writeFileSync(paths[index]!, text, { flag: 'wx' })
  }
  return paths
}

function refuseTaken(paths: readonly string[]): void {
  const taken = paths.find((path) => existsSync(path))
  if (taken !== undefined)
    throw new ToolError('CONFLICT', `${taken} exists already.`, {
      hint: 'Choose another id, or remove the file first.',
    })
}

/** What enters a server into `.mcp.json`; asked for before anything is written. */
async function serverEntry(root: string, { kebab }: Names, program: string): Promise<() => string[]> {
  const { joinServer } = await import('../join-server.ts')
  const file = relative(root, program).split(sep).join('/')
  return joinServer({ root, name: kebab, file, schemas: schemasFrom(root, join(root, '.mcp.json')) })
}

function namesOf(id: string): Names {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*(\/[A-Za-z0-9][A-Za-z0-9_-]*)*$/.test(id) || id.length > 128)
    throw new UsageError(
      `"${id}" cannot be a tool id.`,
      'Use letters, digits, - and _, with / between folders, for example text/count.',
    )
  const parts = id.split('/')
  const stem = parts.at(-1)!
  const kebab = stem.replaceAll('_', '-').toLowerCase().replace(/-+/g, '-').replace(/^-|-$/g, '')
  return {
    id,
    category: parts.slice(0, -1).join('/'),
    stem,
    kebab,
    snake: kebab.replaceAll('-', '_'),
    title: kebab
      .split('-')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(' '),
  }
}

function fill(text: string, words: { readonly [key: string]: string }): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, key: string) => words[key] ?? whole)
}

/** The folder of the editor schemas, as a file names it. */
function schemasFrom(root: string, file: string): string {
  return relative(dirname(file), join(root, '.toolcrib', 'schemas'))
    .split(sep)
    .join('/')
}
