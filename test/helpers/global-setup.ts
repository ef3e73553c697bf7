// Says once, before the tests, which system parts are missing here and what is skipped because of it.
import { systemParts } from './system-parts.ts'

export function setup(): void {
  for (const part of systemParts()) {
    if (!part.present) console.log(`skipped: tests that need ${part.name} (${part.fix})`)
  }
}
