// Looks for text that says one thing to a person and another to a model: characters nobody sees, text that runs
// backwards, comments that are not shown, orders to a model. It finds what is commonly done and prevents nothing.

export interface TextFinding {
  readonly code: 'hidden-unicode' | 'bidi-control' | 'html-comment' | 'model-instructions'
  /** Where it stands in the text, in UTF-16 units. */
  readonly index: number
  readonly length: number
  /** What was found, in words that are safe to print. */
  readonly what: string
}

/** Characters only: for whole files, where comments and orders to a model have their place. */
export function lintCharacters(text: string): TextFinding[] {
  // Most text is plain; one look settles it.
  if (!suspicious.test(text)) return []
  const findings: TextFinding[] = []
  const isRightToLeft = rightToLeft.test(text)
  for (const match of text.matchAll(suspiciousRun)) {
    const { index } = match
    const run = match[0]
    if (isBidi(run, isRightToLeft))
      findings.push({ code: 'bidi-control', index, length: run.length, what: named(run) })
    else if (isHidden(text, index, run))
      findings.push({ code: 'hidden-unicode', index, length: run.length, what: named(run) })
  }
  return findings
}

export interface TextKind {
  /** It was written for programmers who call something: `you must send` is said to them. */
  readonly isForProgrammers?: boolean
}

/** Everything: for descriptions, which a model reads as the word of whoever runs it. */
export function lintDescription(text: string, { isForProgrammers }: TextKind = {}): TextFinding[] {
  const findings = lintCharacters(text)
  for (const match of text.matchAll(/<!--[\s\S]*?(?:-->|$)/g))
    findings.push({
      code: 'html-comment',
      index: match.index,
      length: match[0].length,
      what: 'an HTML comment',
    })
  for (const pattern of isForProgrammers ? orders : [...orders, secondPerson]) {
    const match = pattern.exec(text)
    if (!match) continue
    const said = match[0].replace(/\s+/g, ' ').slice(0, 60)
    findings.push({
      code: 'model-instructions',
      index: match.index,
      length: match[0].length,
      what: `"${said}"`,
    })
    break
  }
  return findings
}

const controls = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f'
const invisible =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufeff\\uffa0'
const marks = '\\u061c\\u200e\\u200f'
const bidi = '\\u202a-\\u202e\\u2066-\\u2069'
const selectors = '\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}'
const tags = '\\u{e0000}-\\u{e007f}'
const all = `[${controls}${invisible}${marks}${bidi}${selectors}${tags}]`
const suspicious = new RegExp(all, 'u')
const suspiciousRun = new RegExp(`${all}+`, 'gu')
const hardBidi = new RegExp(`[${bidi}]`, 'u')
const softMarks = new RegExp(`^[${marks}]+$`, 'u')
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const joiner = /^[\u200c\u200d]$/
const joining =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f/u
const flagTags = /^[\u{e0020}-\u{e007e}]{1,16}\u{e007f}$/u

/** Marks of direction belong into text that runs both ways; overrides and isolates into none of ours. */
function isBidi(run: string, isRightToLeft: boolean): boolean {
  return hardBidi.test(run) || (!isRightToLeft && softMarks.test(run))
}

function isHidden(text: string, index: number, run: string): boolean {
  if (softMarks.test(run)) return false
  const before = charBefore(text, index)
  // A byte order mark, the presentation of an emoji, a joined emoji or letter, a flag: all as they should be.
  if (run === '\ufeff' && index === 0) return false
  if (/^[\ufe00-\ufe0f]$/.test(run) && /[\p{Emoji}\p{Letter}\p{Symbol}\p{Punctuation}]/u.test(before))
    return false
  if (/^\ufe0f?\u200d$/u.test(run) || joiner.test(run)) return !joining.test(before)
  if (/^[\ufe0e\ufe0f]\u20e3?$/.test(run)) return false
  return !(before === '\u{1f3f4}' && flagTags.test(run))
}

function charBefore(text: string, index: number): string {
  const low = text.charCodeAt(index - 1)
  const isPair = low >= 0xdc00 && low <= 0xdfff && index > 1
  return text.slice(isPair ? index - 2 : Math.max(0, index - 1), index)
}

function named(run: string): string {
  const points = [...run]
    .slice(0, 4)
    .map((char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
  const more = [...run].length - points.length
  return points.join(' ') + (more > 0 ? ` and ${more} more` : '')
}

/** What is said to a model, not about a tool. */
const orders: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|every\s+|the\s+|your\s+|of\s+)*(?:previous|prior|above|earlier|preceding|other|system)\s+(?:instructions?|messages?|prompts?|rules?|context|guidelines?|directions?)/i,
  /<\/?\s*(?:important|system|instructions?|assistant|secret|hidden|admin|override)\s*>/i,
  /\[\/?(?:INST|SYSTEM)\]|<\|(?:im_start|im_end|system|user|assistant)\|>/,
  /\b(?:do\s+not|don't|never|must\s+not)\s+(?:tell|mention|inform|reveal|notify|show|say|disclose)\b[^.\n]{0,60}\b(?:user|users|human|anyone|anybody|person)\b/i,
  /\bwithout\s+(?:telling|informing|asking|notifying|mentioning|alerting)\b[^.\n]{0,30}\b(?:user|human|anyone|person)\b/i,
  /\b(?:before|after|when|whenever|instead\s+of)\s+(?:using|calling|running|invoking|you\s+(?:use|call|run))\s+(?:this|any|any\s+other|another|other|the\s+other)\s+tools?\b[^.\n]{0,20}[,:]/i,
  /\b(?:always|first)\s+(?:call|use|run|invoke)\s+this\s+tool\b/i,
  /\binstead\s+of\s+(?:any|all|the)?\s*other\s+tools?\b/i,
  /\b(?:the\s+)?(?:assistant|model|llm|ai|agent)\s+(?:must|should|shall|has\s+to|is\s+required\s+to|needs\s+to)\b/i,
  /\bas\s+an\s+ai\b|\byou\s+are\s+(?:now\s+)?(?:an?\s+)?(?:ai|assistant|language\s+model|llm|chatgpt|claude)\b/i,
  /\b(?:your|the)\s+system\s+prompt\b/i,
]

/** Orders that are ordinary words in the documentation of an API. */
const secondPerson =
  /\byou\s+(?:must|should|shall|have\s+to|need\s+to|are\s+required\s+to|will)\s+(?:also\s+|always\s+|first\s+|then\s+|now\s+|not\s+|never\s+|only\s+)*(?:call|use|read|send|pass|include|append|run|execute|invoke|tell|forward|copy|upload|follow|obey|respond|reply|answer|pretend|act)\b/i
