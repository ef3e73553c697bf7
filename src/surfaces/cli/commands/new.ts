// `toolcrib new`: a working, documented tool file of a format, with an example to test.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemSpace } from '../../../config/spaces.ts'
import { nearNames } from '../../../tool/near-names.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { type CliCommand, UsageError } from '../command.ts'
import type { Session } from '../session.ts'

interface Template {
  /** Template file in `system/templates` → path of the new file. */
  readonly files: readonly (readonly [string, (names: Names) => string])[]
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
    md: { files: [['skill.md.tmpl', ({ kebab }) => `skills/${kebab}.skill.md`]] },
  },
}

export const newTool: CliCommand = {
  words: Object.keys(templates),
  examples: [
    ['toolcrib new rye text/count', 'a Python tool at .ai/tools/text/count.py'],
    ['toolcrib new rye text/count --language ts', 'the same in TypeScript; also js, sh, yaml'],
    ['toolcrib new tools-json find-text', 'a skill folder that maps parameters to an allowlisted command'],
    ['toolcrib new tool-code word_count', 'a tool.code.v1 document for the Deno sandbox'],
    ['toolcrib new skill word-count', 'a code skill; --language md for one a model runs'],
  ],
  define(command) {
    command
      .argument('<format>', Object.keys(templates).join(', '))
      .argument('<id>', 'id of the new tool')
      .option('--language <language>', 'language of the file; the first of the format by default')
  },
  async run(session, [format, id], options) {
    const files = writeTool(session, format!, id!, options['language'] as string | undefined)
    if (session.json) session.outJson({ files })
    else {
      for (const file of files) session.out(file)
      session.note('Next: `toolcrib check`, then `toolcrib test`, then edit the file to your liking.')
    }
    return 0
  },
}

function writeTool(session: Session, format: string, id: string, language: string | undefined): string[] {
  const languages = templates[format]
  if (!languages)
    throw new UsageError(
      `There is no template for "${format}".`,
      `Did you mean "${nearNames(format, Object.keys(templates), 1)[0] ?? 'rye'}"? Known: ${Object.keys(templates).join(', ')}.`,
    )
  const template = languages[language ?? Object.keys(languages)[0]!]
  if (!template)
    throw new UsageError(
      `${format} has no template in "${language}".`,
      `Known: ${Object.keys(languages).join(', ')}.`,
    )
  const names = namesOf(id)
  const planned = template.files.map(([from, to]) => ({ from, to: join(session.root, to(names)) }))
  const taken = planned.find((file) => existsSync(file.to))
  if (taken)
    throw new ToolError('CONFLICT', `${taken.to} exists already.`, {
      hint: 'Choose another id, or remove the file first.',
    })
  const folder = join(systemSpace(), 'templates')
  for (const file of planned) {
    mkdirSync(dirname(file.to), { recursive: true })
    writeFileSync(file.to, fill(readFileSync(join(folder, file.from), 'utf8'), names), {
      flag: 'wx',
      mode: file.to.endsWith('.sh') ? 0o755 : 0o644,
    })
  }
  return planned.map((file) => file.to)
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

function fill(text: string, names: Names): string {
  return text.replace(
    /\{\{(\w+)\}\}/g,
    (whole, key: string) => (names as unknown as Record<string, string>)[key] ?? whole,
  )
}
