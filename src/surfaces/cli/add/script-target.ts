// The file or command that `toolcrib add` was given, as something that can be run: program, leading words, id.
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { shortPath } from '../../../files/is-inside.ts'
import { isFileInside } from '../../../files/real-path.ts'
import { readScript, type ScriptReading } from '../../../formats/rye/script-reader/read-script.ts'
import { dashed } from '../../../formats/write-words.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { UsageError } from '../command.ts'

const maxScriptBytes = 2_000_000

export interface ScriptTarget {
  readonly id: string
  /** How people name it. */
  readonly name: string
  /** As the definition says it; `{project_path}` stands for the crib. */
  readonly program: string
  readonly leading: readonly string[]
  readonly executor: string
  /** What to start for --help. */
  readonly argv: readonly string[]
  readonly reading: ScriptReading
  /** The script itself; absent: a program of the system, which is not read. */
  readonly file?: string | undefined
}

/** A task of these takes what its file says, and their own --help says nothing of it. */
const taskRunner = /^(?:(?:npm|pnpm|yarn|bun) run|deno task|make|just|rake)\b/

const nothingRead: ScriptReading = { language: 'other', commands: [], notes: [], packages: [] }

/** A script or program of the crib. */
export function fileTarget(given: string, root: string): ScriptTarget {
  const file = resolve(given)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat && /^[a-z][a-z+.-]*:\/\//i.test(given))
    throw new UsageError(`${given} is no address that can be added.`, 'One begins with https:// or http://.')
  if (!stat)
    throw new UsageError(`There is no file ${file}.`, 'Name a script, or `-- command` for a program on PATH.')
  if (!stat.isFile()) throw new UsageError(`${file} is not a file that can be run.`)
  if (!isFileInside(file, root))
    throw new UsageError(
      `${file} lies outside the crib ${root}${lstatSync(file).isSymbolicLink() ? ' (it is a link)' : ''}, and a tool reads only its crib.`,
      `Copy it into the crib, or make its own folder one: toolcrib add -C ${resolve(file, '..')} ${file}`,
    )
  const path = shortPath(file, root)
  const bytes = stat.size > maxScriptBytes ? Buffer.from([0]) : readFileSync(file)
  const isText = !bytes.includes(0)
  if (isText && bytes.toString('utf8').trim() === '')
    throw new ToolError('TOOL_INVALID', `${path} is empty.`, {
      hint: 'Correct it there, then add it again.',
    })
  const reading = isText ? readScript(path, textOf(bytes)) : nothingRead
  if (reading.fault)
    throw new ToolError('TOOL_INVALID', `${path}:${reading.fault.line}: ${reading.fault.message}.`, {
      hint: 'Correct it there, then add it again.',
    })
  const id = dashed(basename(path, extname(path)))
  const shown = `{project_path}/${path}`
  const start = starterOf(reading, { path, file, shown, isExecutable: (stat.mode & 0o111) !== 0 })
  return { id: id === '' ? 'script' : id, name: path, reading, file: isText ? file : undefined, ...start }
}

/** Old scripts name another encoding; those of Western Europe read as Latin-1. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? bytes.toString('latin1') : text
}

interface Place {
  readonly path: string
  readonly file: string
  readonly shown: string
  readonly isExecutable: boolean
}

/** By its language; a shebang of another program is started by that program; else the file itself. */
function starterOf(
  { language, starter = [] }: ScriptReading,
  { path, file, shown, isExecutable }: Place,
): Pick<ScriptTarget, 'program' | 'leading' | 'executor' | 'argv'> {
  if (language === 'python')
    return {
      program: `\${RYE_PYTHON}`,
      leading: [shown],
      executor: 'rye/core/runtimes/python/script',
      argv: ['python3', file],
    }
  const [program, ...words] = starter.length > 0 || language !== 'shell' ? starter : ['bash']
  if (language === 'typescript' && program !== 'deno')
    return {
      program: 'node',
      leading: [shown],
      executor: 'rye/core/runtimes/node/node',
      argv: ['node', file],
    }
  if (language === 'javascript')
    return { program: 'node', leading: [shown], executor: 'subprocess', argv: ['node', file] }
  if (program !== undefined)
    return {
      program,
      leading: [...words, shown],
      executor: 'subprocess',
      argv: [program, ...words, file],
    }
  if (isExecutable) return { program: shown, leading: [], executor: 'subprocess', argv: [file] }
  if (/\.(ya?ml|json)$/i.test(path))
    throw new UsageError(
      `${path} is no script and no description of an API.`,
      'Such a description has "openapi: 3.x" or "swagger: 2.0" at its top.',
    )
  throw new UsageError(
    `${path} has no shebang, no known ending and is not executable, so nothing says what runs it.`,
    'Put a first line such as #!/usr/bin/env python3 into it, or name the program: toolcrib add -- <program> <file>',
  )
}

/** `-- command with args`: a program on PATH with words that stay. */
export function commandTarget(argv: readonly string[], root: string): ScriptTarget {
  const [program, ...words] = argv
  if (program === undefined) throw new UsageError('No command stands after --.')
  const known = words.map((word) => {
    const file = resolve(word)
    return isFileInside(file, root) ? `{project_path}/${shortPath(file, root)}` : word
  })
  const script = words.find((word) => isFileInside(resolve(word), root))
  const named = script ?? [basename(program), ...words.filter((word) => /^[a-z][\w-]*$/.test(word))].join('-')
  return {
    id: dashed(script ? basename(script, extname(script)) : named),
    name: argv.join(' '),
    program,
    leading: known,
    executor: 'subprocess',
    argv: [program, ...leadingWords(words)],
    reading: script ? readScript(script, readFileSync(resolve(script), 'utf8')) : readingOf(argv),
    file: script && resolve(script),
  }
}

/** Subcommands, up to the first option. */
function leadingWords(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => word.startsWith('-'))
  return at < 0 ? words : words.slice(0, at)
}

function readingOf(argv: readonly string[]): ScriptReading {
  if (!taskRunner.test(argv.map((word) => basename(word)).join(' '))) return nothingRead
  return { ...nothingRead, by: 'task', commands: [{ words: [], params: [] }] }
}
