// What the comment on top of a script says it does: its first paragraph, without the lines that are about the file.
import { firstParagraph } from './script-interface.ts'

const aboutTheFile: readonly RegExp[] = [
  /^(original )?(authors?|modifications?|maintainers?|contributors?|expanded|created|updated|date|version|e-?mail|source|spdx-[\w-]+)\b[^:]{0,20}:/i,
  /^(copyright|licen[cs]ed?|released under|code licensed|all rights reserved|\(c\)|©)/i,
  /^(see:? *)?https?:\/\/\S+$/i,
  /^(@ts-\w+|eslint|prettier|biome-|istanbul|c8 |v8 |jshint|jslint|shellcheck|global |vim?:|-\*-|pylint:|type:|noqa|ruff:|usage:)/i,
  /^[\w.+-]+$/,
]

/** Undefined when nothing in it says what the script does. */
export function descriptionIn(comment: string | undefined): string | undefined {
  const lines = (comment ?? '')
    .replace(/^\/\/\/ script\n[\s\S]*?^\/\/\/ *$/m, '') // Packages that a Python script names for itself.
    .split('\n')
    .map((line) => (aboutTheFile.some((pattern) => pattern.test(line.trim())) ? '' : line))
  return firstParagraph(lines.join('\n'))
}
