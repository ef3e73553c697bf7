// The picture of a terminal session shows what the program prints: it is drawn anew from a real session.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
// @ts-expect-error: a script without types
import { drawSession, pictureFile } from '../../scripts/terminal-picture.mjs'
import { canLayer } from '../helpers/layered.ts'
import { verifies } from '../helpers/verifies.ts'

it.skipIf(!canLayer)('the picture of "Undo and review" is what a session looks like now', () => {
  verifies('E16', 'E17')
  const drawn: string = drawSession()
  expect(drawn, 'draw it again: node scripts/terminal-picture.mjs').toBe(readFileSync(pictureFile, 'utf8'))
  expect(drawn).not.toMatch(/\/tmp\/|\/home\/|\/root\b/)
})
