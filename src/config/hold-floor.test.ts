import { expect, it } from 'vitest'
import { proves } from '../../test/helpers/proves.ts'
import { holdFloor } from './hold-floor.ts'

it.each([
  [{ trust: 'require' }, { trust: 'off' }, {}],
  [{ trust: 'warn' }, { trust: 'require' }, { trust: 'require' }],
  [{}, { trust: 'off' }, { trust: 'off' }],
  [{ sandbox: 'required' }, { sandbox: 'off' }, {}],
  [
    { sandbox: { mode: 'required' } },
    { sandbox: { mode: 'off', require: ['memory'] } },
    { sandbox: { require: ['memory'] } },
  ],
  [{ sandbox: 'preferred' }, { sandbox: 'required' }, { sandbox: 'required' }],
  [{ trust: 'require' }, { serve: { port: 1 } }, { serve: { port: 1 } }],
])('of the user %o and the project %o counts %o', (user, project, expected) => {
  proves('user-floor')
  expect(JSON.parse(JSON.stringify(holdFloor(user, project)))).toEqual(expected)
})
