// Examples at the end of a help text: side by side where they fit, else what it does above the line to type.

/** Lines of at most `width` columns, as far as the command lines themselves allow. */
export function exampleLines(
  examples: readonly (readonly [string, string])[],
  width = process.stdout.columns || 80,
): string[] {
  const longest = Math.max(...examples.map(([line]) => line.length))
  const fits = examples.every(([, what]) => longest + what.length + 4 <= width)
  return fits
    ? examples.map(([line, what]) => `  ${line.padEnd(longest)}  ${what}`)
    : examples.flatMap(([line, what]) => [`  # ${what}`, `  ${line}`])
}
