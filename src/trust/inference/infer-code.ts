// What the text of one file can touch, by its language. A language that nobody here reads is told as such.
import { languageOf, shebangProgram } from '../../formats/script-language.ts'
import type { Finding } from '../../tool/finding.ts'
import { Findings } from './findings.ts'
import { javascriptLanguage } from './javascript/javascript-language.ts'
import { mayTouch } from './python/may-touch.ts'
import { pythonLanguage } from './python/python-language.ts'
import { followShell } from './shell/follow-shell.ts'

/** Longer texts are generated, and nobody reads them; following them would take seconds. */
const maxLength = 1_000_000

export type CodeLanguage = 'python' | 'javascript' | 'typescript' | 'shell' | 'other'

export function inferCode(
  text: string,
  path: string,
  language = languageOf(path, shebangProgram(text)),
): Finding[] {
  // One sign for the end of a line, so that what is found is found at its line.
  const plain = text.replace(/\r\n?/g, '\n')
  const findings = new Findings(plain, path === '' ? undefined : path)
  if (text.length > maxLength) findings.add('code.unknown', 0, 'too long to be read', 'unknown')
  else follow(plain, path, language, findings)
  return findings.all
}

function follow(text: string, path: string, language: CodeLanguage, findings: Findings): void {
  try {
    if (language === 'python') {
      if (mayTouch(text)) pythonLanguage().follow(text.replace(/^\uFEFF/, ' '), findings)
    } else if (language === 'shell') followShell(text, { findings, level: 0 })
    else if (language === 'other') findings.add('code.unknown', 0, 'a language that is not read', 'unknown')
    else javascriptLanguage().follow(text, findings, 0, path)
  } catch {
    // Whatever a parser stumbles over ends the reading of this text, and is told.
    findings.add('code.unknown', 0, 'cannot be parsed', 'unknown')
  }
}
