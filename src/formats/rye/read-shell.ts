// Reads the metadata of a shell script: tags in the comments at its head.
import { readTags } from './read-tags.ts'
import { mentionsOnly, type Reading } from './reading.ts'

export function readShell(text: string): Reading {
  const lines: { text: string; line: number }[] = []
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = raw.trim()
    if (line !== '' && !line.startsWith('#')) break
    if (!line.startsWith('#!')) lines.push({ text: line.replace(/^#+ ?/, ''), line: index + 1 })
  }
  const tags = readTags(lines, true)
  return {
    fields: tags.fields,
    unknown: {},
    notes: tags.notes,
    docstring: tags.text,
    code: { ...mentionsOnly(text), imports: sourced(text) },
    locate: (field, pointer) => {
      const position = /^\/(\d+)/.exec(pointer)?.[1]
      if (field === 'parameters' && position !== undefined) return tags.paramLines[Number(position)] ?? 1
      return tags.fields.get(field)?.line ?? 1
    },
  }
}

/**
 * Files a script takes in (`source`, `.`) by a path that reading can tell: relative to the script. A folder in a variable
 * counts as the script's own: where the file is there, it is nearly always meant.
 */
function sourced(text: string): string[] {
  const own = String.raw`(?:"?\$\(dirname (?:-- )?"?(?:\$0|\$BASH_SOURCE|\$\{BASH_SOURCE\[0\]\}|\$\{BASH_SOURCE\})"?\)"?|\$\{(?:0|BASH_SOURCE)%/\*\}|\$\w+|\$\{\w+\})"?/`
  const before = String.raw`(?:^|[;&|({]|\b(?:then|do|else))[ \t]*`
  const line = new RegExp(String.raw`${before}(?:source|\.)[ \t]+["']?(?:${own})?([\w./-]+)["']?`, 'gm')
  return [...text.matchAll(line)].map((match) => `./${match[1]!.replace(/^\.\//, '')}`)
}
