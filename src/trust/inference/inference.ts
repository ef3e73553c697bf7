// What a tool can touch, as its code and its definition tell: every file it is made of is read, none is run. Answers
// are kept as long as the files stay as they are.
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { statIfThere } from '../../files/stat-if-there.ts'
import { importedFiles } from '../../formats/imported-files.ts'
import { languageOf, shebangProgram } from '../../formats/script-language.ts'
import { partsOf } from '../../formats/tool-parts.ts'
import { type Finding, findingKey } from '../../tool/finding.ts'
import type { Tool } from '../../tool/tool.ts'
import type { LockMemory } from '../lock/lock.ts'
import { filesOf } from '../tool-files.ts'
import { inferCode } from './infer-code.ts'
import { inferInline } from './infer-inline.ts'

/** Endings of files that are read as data, never run. */
const dataEndings =
  /^\.(?:md|txt|json|jsonc|ya?ml|toml|csv|tsv|xml|html?|css|svg|png|jpe?g|gif|webp|ico|pdf|sql|lock|sig|env|ini|cfg|conf|tmpl|tpl|j2|mustache|hbs|ejs|wav|mp3|woff2?|ttf|log|gitignore|npmrc|map|pem|db|sqlite|graphql|proto|rst|adoc|d\.ts)$/
const maxFile = 4 * 1_048_576

type Known = readonly [file: string, stamp: string, findings: readonly Finding[]]

export class Inference {
  readonly #project: string
  readonly #memory: LockMemory | undefined
  readonly #version: string
  readonly #files = new Map<string, { readonly stamp: string; readonly findings: readonly Finding[] }>()
  #isRecalled = false

  /** `version`: of the program; another one may read more. */
  constructor(
    project: string,
    { memory, version }: { readonly memory?: LockMemory; readonly version: string },
  ) {
    this.#project = project
    this.#memory = memory
    this.#version = version
  }

  /** Everything that the tool's files and definition tell, in the order of files and lines. */
  of(tool: Tool): Finding[] {
    return this.#ofFiles(filesOf(tool, this.#project), inferInline(partsOf(tool), tool))
  }

  /** The same of a script that no tool runs yet, with what it imports. */
  ofScript(file: string): Finding[] {
    return this.#ofFiles([file, ...importedFiles(file, this.#project)])
  }

  #ofFiles(unsorted: readonly string[], inline: readonly Finding[] = []): Finding[] {
    this.#recall()
    const files = [...unsorted].sort()
    const found = [...inline, ...files.flatMap((file) => this.#ofFile(file))]
    const modules = new Set(files.map((file) => basename(file, extname(file))))
    const seen = new Set<string>()
    return found.filter((finding) => {
      // A module of the project is no package.
      if (finding.capability === 'code.unknown' && modules.has(finding.detail ?? '')) return false
      const key = `${findingKey(finding)}\n${finding.file}\n${finding.line}`
      return seen.has(key) ? false : seen.add(key)
    })
  }

  /** Keeps what was found in each file for later processes. */
  keep(): void {
    const files: Known[] = [...this.#files].map(([file, { stamp, findings }]) => [file, stamp, findings])
    this.#memory?.write('inferred-files', this.#version, files)
  }

  #recall(): void {
    if (this.#isRecalled) return
    this.#isRecalled = true
    for (const [file, stamp, findings] of this.#memory?.read<readonly Known[]>(
      'inferred-files',
      this.#version,
    ) ?? [])
      this.#files.set(file, { stamp, findings })
  }

  #ofFile(file: string): readonly Finding[] {
    const stat = statIfThere(file)
    if (!stat?.isFile()) return []
    const stamp = `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`
    const known = this.#files.get(file)
    if (known?.stamp === stamp) return known.findings
    const findings = inferFile(file, stat.size)
    this.#files.set(file, { stamp, findings })
    return findings
  }
}

function inferFile(file: string, size: number): Finding[] {
  const isNamedData =
    dataEndings.test(extname(file).toLowerCase()) ||
    /^(?:LICENSE|NOTICE|README|Makefile)$/.test(basename(file))
  if (isNamedData) return []
  const unread = (detail: string): Finding[] => [
    { capability: 'code.unknown', detail, certainty: 'unknown', file, line: 1, column: 1 },
  ]
  if (size > maxFile) return unread('too long to be read')
  try {
    const bytes = readFileSync(file)
    if (bytes.includes(0)) return unread('a compiled program')
    const text = bytes.toString('utf8')
    const language = languageOf(file, shebangProgram(text))
    // A file without a known ending is run only when it says by what.
    if (language === 'other' && !text.startsWith('#!') && extname(file) === '') return []
    return inferCode(text, file, language)
  } catch {
    return [] // gone or unreadable: loading has reported it
  }
}
