// What code that stands in a definition can touch. It is found at the line of the definition that holds it.
import { readFileSync, statSync } from 'node:fs'
import { notYetKnown } from '../../formats/inline-code.ts'
import type { ToolParts } from '../../formats/tool-parts.ts'
import type { Finding } from '../../tool/finding.ts'
import { LineIndex, type Position } from '../../tool/line-index.ts'
import type { Tool } from '../../tool/tool.ts'
import { Findings } from './findings.ts'
import { inferCode } from './infer-code.ts'
import { followCommand } from './shell/follow-command.ts'
import { exact, given, type TextValue } from './value.ts'

export function inferInline(parts: ToolParts, tool: Tool): Finding[] {
  const found = (parts.inline?.(tool) ?? []).flatMap((code): Finding[] => {
    if ('argv' in code) return placed(inferArgv(code.argv), tool, code.argv[0]!)
    const findings = inferCode(code.text, '', code.language)
    return placed(
      findings,
      tool,
      code.language === 'shell' ? code.text.split('\n', 1)[0]! : '"source"',
      code.text,
    )
  })
  const hosts = (parts.hosts?.(tool) ?? []).map(
    (host): Finding => ({ capability: 'net.http', detail: host, certainty: 'exact', line: 1, column: 1 }),
  )
  return [...found, ...hosts.flatMap((finding) => placed([finding], tool, finding.detail!))]
}

/** A command line by its words. */
function inferArgv(argv: readonly string[]): Finding[] {
  const findings = new Findings(argv.join(' '))
  followCommand(argv.map(wordOf), { findings, at: 0, level: 0 })
  return findings.all
}

function wordOf(word: string): TextValue {
  return word.includes(notYetKnown) ? { ...given, text: word } : exact(word)
}

/** At the line of the definition that has these words; code in a document of one line has its own lines. */
function placed(findings: readonly Finding[], tool: Tool, words: string, code = ''): Finding[] {
  const { file, line } = tool.source
  const place = file === null ? undefined : placeIn(file, words)
  return findings.map((finding) => ({
    ...finding,
    file: file ?? undefined,
    line: code === '' || place ? (place?.line ?? line ?? 1) : finding.line,
    column: place?.column ?? 1,
  }))
}

interface Placed {
  readonly text: string
  readonly lines: LineIndex
  readonly known: Map<string, Position | undefined>
}

/** The definition that was looked at last: the operations of one API, hundreds of them, stand in one file. */
let last: { readonly file: string; readonly stamp: string; readonly placed: Placed } | undefined

function placeIn(file: string, words: string): Position | undefined {
  try {
    const { text, lines, known } = placedIn(file)
    if (!known.has(words)) {
      const at = text.indexOf(words)
      known.set(words, at === -1 ? undefined : lines.at(at))
    }
    return known.get(words)
  } catch {
    return undefined // gone or unreadable: loading has reported it
  }
}

/** Read again when the file has changed. */
function placedIn(file: string): Placed {
  const { ino, size, mtimeMs, ctimeMs } = statSync(file)
  const stamp = `${ino}:${size}:${mtimeMs}:${ctimeMs}`
  if (last?.file === file && last.stamp === stamp) return last.placed
  const text = readFileSync(file, 'utf8')
  last = { file, stamp, placed: { text, lines: new LineIndex(text), known: new Map() } }
  return last.placed
}
