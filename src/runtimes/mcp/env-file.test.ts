import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { parseEnv } from './env-file.ts'

describe('parseEnv', () => {
  it('reads lines as .env files have them', () => {
    verifies('U3e')
    const text = '# note\nexport A=1\nB = "two\\nlines" # said\nC=\'a "b"\'\nD=x # y\nnonsense\n'
    expect(parseEnv(text)).toEqual({ A: '1', B: 'two\nlines', C: 'a "b"', D: 'x' })
  })

  it('leaves out what would decide which code is loaded', () => {
    expect(parseEnv('NODE_OPTIONS=--require ./x\nLD_PRELOAD=x\nPYTHONPATH=.\nPATH=/x\nKEY=k')).toEqual({
      KEY: 'k',
    })
  })
})
