// What calls under way have written, as it lies on their layers: how a test knows that a tool has come so far.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { EffectCrib } from './effect-tools.ts'

/** The folder in which the crib keeps layers and images. */
export const stateOf = ({ env }: Pick<EffectCrib, 'env'>) => join(env['XDG_STATE_HOME']!, 'toolcrib')

/** The text of a file in every folder two below `layers` or `images`. */
export function keptIn(state: string, kind: 'layers' | 'images', name: string): string {
  const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
  const files = namesIn(join(state, kind)).flatMap((project) =>
    namesIn(join(state, kind, project)).map((entry) => join(state, kind, project, entry, name)),
  )
  return files
    .filter(existsSync)
    .map((file) => readFileSync(file, 'utf8'))
    .join('')
}

/** Resolves when a tool has written the text to a file. */
export async function hasWritten(state: string, file: string, text: string): Promise<void> {
  await vi.waitFor(() => expect(keptIn(state, 'layers', `upper/${file}`)).toContain(text), {
    timeout: 60_000,
    interval: 20,
  })
}
