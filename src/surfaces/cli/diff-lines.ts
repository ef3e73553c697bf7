// A unified diff for a terminal: what goes in red, what comes in green. Bytes that would move the cursor are shown.
import { outStyle, printable } from './style.ts'

export function diffLines(diff: string): string[] {
  return diff.split('\n').slice(0, -1).map(styled)
}

function styled(line: string): string {
  const text = printable(line)
  if (/^(diff --git|--- |\+\+\+ |new file|deleted file|old mode|new mode|rename |# )/.test(line))
    return outStyle.bold(text)
  if (line.startsWith('@@')) return outStyle.cyan(text)
  if (line.startsWith('+')) return outStyle.green(text)
  return line.startsWith('-') ? outStyle.red(text) : text
}
