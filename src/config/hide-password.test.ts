import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hidePassword } from './hide-password.ts'

it.each([
  ['postgres://ada:hunter2@db.example.com/crib', 'postgres://ada:***@db.example.com/crib'],
  ['postgres://ada:hunt@er2@db.example.com/crib', 'postgres://ada:***@db.example.com/crib'],
  ['postgres://ada:@db.example.com', 'postgres://ada:***@db.example.com'],
  ['postgres://:hunter2@db.example.com', 'postgres://:***@db.example.com'],
  ['NATS://s3cret@bus.example.com:4222', 'NATS://***@bus.example.com:4222'],
  ['tls://ada:s3cret@bus.example.com', 'tls://ada:***@bus.example.com'],
])('%s is shown as %s', (address, shown) => {
  expect(hidePassword(address)).toBe(shown)
})

it.each([
  'postgres://ada@db.example.com/crib',
  'https://example.com/a:b@c',
  '.toolcrib/crib.db',
  'ada:hunter2@nowhere',
  '',
  null,
  7,
])('%s stays as it is', (value) => {
  expect(hidePassword(value)).toBe(value)
})

it('shows no password, whatever it is made of', () => {
  const plain = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(plain, fc.stringMatching(/^[^/\s]{1,20}$/), (user, rest) => {
      const password = `<${rest}>`
      expect(hidePassword(`postgres://${user}:${password}@host/db`)).toBe(`postgres://${user}:***@host/db`)
    }),
  )
})
