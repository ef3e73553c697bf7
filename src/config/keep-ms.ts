// How long something is kept: `30m`, `12h`, `90d` in milliseconds; null for `forever`.

const unitMs: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }

export function keepMs(text: string): number | null {
  return text === 'forever' ? null : Number(text.slice(0, -1)) * unitMs[text.slice(-1)]!
}
