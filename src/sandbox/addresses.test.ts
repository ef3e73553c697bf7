import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAddress, inRange, isPublicAddress, parseAddress, parseRange } from './addresses.ts'

describe('parseAddress', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['10.1.2', '10.1.0.2'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::ffff:0a00:0001', '10.0.0.1'],
    ['[::1]', '0:0:0:0:0:0:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['2001:db8::ff', '2001:db8:0:0:0:0:0:ff'],
  ])('reads %s as %s', (text, expected) => {
    expect(formatAddress(parseAddress(text)!)).toBe(expected)
  })

  it.each(['example.com', '', '1.2.3.4.5', '256.1.1.1', '4294967296', '1:2', ':::', '::1::2', '08.1.1.1'])(
    'takes %j for no address',
    (text) => {
      expect(parseAddress(text)).toBeNull()
    },
  )

  it('reads every IPv4 address alike in dotted, decimal, hexadecimal and mapped spelling', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (number) => {
        const dotted = [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.')
        for (const text of [dotted, String(number), `0x${number.toString(16)}`, `::ffff:${dotted}`]) {
          expect(formatAddress(parseAddress(text)!)).toBe(dotted)
        }
      }),
    )
  })

  it('gives four bytes, sixteen bytes or null, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcfx.:%[]/') }), (text) => {
        expect([undefined, 4, 16]).toContain(parseAddress(text)?.toByteArray().length)
      }),
    )
  })
})

describe('isPublicAddress', () => {
  it.each([
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.8.8.8',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '::127.0.0.1',
    '2130706433',
  ])('%s is not public', (text) => {
    expect(isPublicAddress(parseAddress(text)!)).toBe(false)
  })

  it.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '192.0.1.1', '2606:4700::1111', '64:ff9b::1.1.1.1'])(
    '%s is public',
    (text) => {
      expect(isPublicAddress(parseAddress(text)!)).toBe(true)
    },
  )
})

describe('parseRange', () => {
  it('matches exactly the addresses of a range', () => {
    const range = parseRange('10.20.0.0/15')!
    expect(inRange(parseAddress('10.21.255.255')!, range)).toBe(true)
    expect(inRange(parseAddress('10.22.0.0')!, range)).toBe(false)
    expect(inRange(parseAddress('::1')!, range)).toBe(false)
  })

  it.each(['10.0.0.0/33', '::/129', 'a/8', '10.0.0.0/', '10.0.0.0/-1'])('refuses %s', (text) => {
    expect(parseRange(text)).toBeNull()
  })
})
