// The pictures of terminal sessions show what the program prints: they are drawn anew from real sessions.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
// @ts-expect-error: a script without types
import { drawSession, sessions } from '../../scripts/terminal-picture.mjs'
import { findOnPath } from '../../src/config/find-on-path.ts'
import { canLayer } from '../helpers/layered.ts'
import { verifies } from '../helpers/verifies.ts'

const canWatch = canLayer && findOnPath('strace') !== undefined && findOnPath('python3') !== undefined

it.skipIf(!canWatch).each(sessions as { readonly picture: string }[])(
  '$picture is what a session looks like now',
  (session) => {
    verifies('E16', 'E17', 'L7')
    const drawn: string = drawSession(session)
    expect(drawn, 'draw it again: node scripts/terminal-picture.mjs').toBe(
      readFileSync(session.picture, 'utf8'),
    )
    expect(drawn).not.toMatch(/\/tmp\/|\/home\/|\/root\b/)
  },
)
