import { expect, it } from 'vitest'
import { configSchema } from '../../config/config-schema.ts'
import { compileSchema } from './compile-schema.ts'
import { isSurelyValid } from './surely-valid.ts'

it.each([
  [{}, true],
  [{ serve: { port: 4747 }, skills: { host: 'vouched' } }, true],
  [{ serve: { port: 'x' } }, false],
  [{ serv: {} }, false],
])('knows settings that are sound without compiling their schema: %j', (values, isSound) => {
  expect(isSurelyValid(configSchema, values)).toBe(isSound)
  expect(compileSchema(configSchema, { fillDefaults: false }).violations(values).length === 0).toBe(isSound)
})
