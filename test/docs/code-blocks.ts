// The code blocks of a Markdown page, with what their info string says about them.

export interface CodeBlock {
  readonly language: string
  /** `file=name` of the info string: the block is that file of the page's crib. */
  readonly file: string | undefined
  /** `serves`: the command stays; the page goes on when it is ready. */
  readonly serves: boolean
  /** `broken`: the page shows a file with a fault on purpose. */
  readonly isBroken: boolean
  /** `excerpt`: settings for tools that the page does not show. */
  readonly isExcerpt: boolean
  /** The reason given by `<!-- not run: … -->` in the line above. */
  readonly notRun: string | undefined
  readonly text: string
  /** It stands before the first `##`: files of the head are there from the beginning, so that a page can show a command first. */
  readonly isInHead: boolean
  /** Line of the opening fence, from 1. */
  readonly line: number
}

export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const lines = markdown.split('\n')
  const head = lines.findIndex((line) => line.startsWith('## '))
  for (let i = 0; i < lines.length; i++) {
    const open = /^(`{3,})(.*)$/.exec(lines[i]!)
    if (!open) continue
    const end = lines.indexOf(open[1]!, i + 1)
    if (end === -1) throw new Error(`line ${i + 1}: the code block is never closed`)
    const [language = '', ...words] = open[2]!.trim().split(/\s+/)
    blocks.push({
      language,
      file: words.find((word) => word.startsWith('file='))?.slice(5),
      serves: words.includes('serves'),
      isBroken: words.includes('broken'),
      isExcerpt: words.includes('excerpt'),
      notRun: /^<!-- not run: (.+) -->$/.exec(lines[i - 1] ?? '')?.[1],
      text: `${lines.slice(i + 1, end).join('\n')}\n`,
      isInHead: head < 0 || i < head,
      line: i + 1,
    })
    i = end
  }
  return blocks
}

/** Headings, links and prose: the page without its code blocks. */
export function proseOf(markdown: string): string {
  return markdown.replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
}

export interface Step {
  readonly command: string
  readonly output: string
}

/** `$ command` lines with the output under each. */
export function stepsOf(text: string): Step[] {
  const steps: { command: string; output: string }[] = []
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: '' })
    else if (steps.length === 0) throw new Error(`output before any command: ${line}`)
    else if (line.startsWith('> ') && steps.at(-1)!.output === '')
      steps.at(-1)!.command += `\n${line.slice(2)}`
    else steps.at(-1)!.output += `${line}\n`
  }
  return steps
}

/** Shown output as a pattern: `…` stands for the rest of a line, alone on a line for any lines. */
export function outputPattern(shown: string): RegExp {
  const source = shown
    .trimEnd()
    .split('\n')
    .map((line) =>
      line.trim() === '…'
        ? '(?:.*\\n)*?.*'
        : line
            .trimEnd()
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*'),
    )
    .join('[ \\t]*\\n')
  return new RegExp(`^${source}\\s*$`)
}
