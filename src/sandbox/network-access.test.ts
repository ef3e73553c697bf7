import { describe, expect, it } from 'vitest'
import { isHopeless, refusalOf } from './network-access.ts'
import type { NetworkRule } from './profile.ts'

const open: NetworkRule = { mode: 'public', hosts: [] }
const listed = (...hosts: string[]): NetworkRule => ({ mode: 'hosts', hosts })

describe('refusalOf', () => {
  it.each<[string, NetworkRule, string, number, string]>([
    ['a public address under an unscoped grant', open, 'example.com', 443, '93.184.216.34'],
    ['a listed name at a public address', listed('example.com'), 'example.com', 443, '93.184.216.34'],
    ['a listed name in another case', listed('Example.com'), 'EXAMPLE.com.', 443, '93.184.216.34'],
    ['a subdomain of a starred name', listed('*.example.com'), 'a.example.com', 443, '93.184.216.34'],
    ['a listed loopback address', listed('127.0.0.1'), '127.0.0.1', 80, '127.0.0.1'],
    ['a listed address with its port', listed('127.0.0.1:8080'), 'localhost', 8080, '127.0.0.1'],
    ['an address of a listed range', listed('10.0.0.0/8'), 'db.internal', 5432, '10.3.2.1'],
    ['localhost when listed', listed('localhost'), 'localhost', 80, '::1'],
    ['an IPv6 address with a port', listed('[::1]:90'), '::1', 90, '::1'],
    [
      'a listed address beside the public ones',
      { mode: 'public', hosts: ['127.0.0.1:1'] },
      'x',
      1,
      '127.0.0.1',
    ],
  ])('allows %s', (_, rule, host, port, address) => {
    expect(refusalOf(rule, { host, port, address })).toBeNull()
  })

  it.each<[string, NetworkRule, string, number, string]>([
    ['everything without a grant', { mode: 'none' }, 'example.com', 443, '93.184.216.34'],
    ['a private address under an unscoped grant', open, 'intranet', 80, '10.0.0.1'],
    ['a mapped private address', open, 'x', 80, '::ffff:127.0.0.1'],
    ['a name that is not listed', listed('example.com'), 'evil.com', 443, '93.184.216.34'],
    ['the parent of a starred name', listed('*.example.com'), 'example.com', 443, '93.184.216.34'],
    ['a name that only ends alike', listed('*.example.com'), 'evilexample.com', 443, '93.184.216.34'],
    [
      'a listed public name that resolves to a private address',
      listed('example.com'),
      'example.com',
      80,
      '127.0.0.1',
    ],
    ['another port of a listed address', listed('127.0.0.1:8080'), '127.0.0.1', 22, '127.0.0.1'],
  ])('refuses %s', (_, rule, host, port, address) => {
    expect(refusalOf(rule, { host, port, address })).toEqual(expect.any(String))
  })
})

describe('isHopeless', () => {
  it('spares a name lookup that cannot lead anywhere', () => {
    expect(isHopeless(listed('example.com'), 'secret-in-a-name.evil.com', 443)).toBe(true)
    expect(isHopeless(listed('example.com:80'), 'example.com', 443)).toBe(true)
    expect(isHopeless(listed('example.com'), 'example.com', 443)).toBe(false)
    expect(isHopeless(listed('127.0.0.1'), 'localhost', 443)).toBe(false)
  })
})
