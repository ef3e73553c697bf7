// A server ends within 5 s of a signal or of the end of standard input, whatever still holds it (G5).

const endMs = 4_500

export function endSoon(): void {
  setTimeout(() => process.exit(process.exitCode ?? 0), endMs).unref()
}
