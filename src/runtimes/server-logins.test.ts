import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { refusalOf } from '../sandbox/network-access.ts'
import { loginNetwork } from './server-logins.ts'

const may = (url: string, address: string, hosts: readonly string[] = []) =>
  refusalOf(loginNetwork({ name: 'box', url, hosts }), { host: address, port: 443, address }) === null

describe('an identity provider that a server names', () => {
  it.each([
    ['https://box.example/mcp', '93.184.216.34', true],
    ['https://box.example/mcp', '127.0.0.1', false],
    ['https://box.example/mcp', '169.254.169.254', false],
    ['https://box.example/mcp', '10.0.0.1', false],
    ['http://127.0.0.1:8080/mcp', '127.0.0.1', true],
    ['http://localhost:8080/mcp', '127.0.0.1', true],
    ['http://127.0.0.1:8080/mcp', '10.0.0.1', false],
    ['http://10.0.0.1/mcp', '10.0.0.1', true],
    ['http://10.0.0.1/mcp', '10.0.0.2', false],
  ])('of %s may be at %s: %s', (url, address, isOpen) => {
    verifies('U4')
    expect(may(url, address)).toBe(isOpen)
  })

  it('may be at a private address that a grant names', () => {
    verifies('U4')
    expect(may('https://box.example/mcp', '10.0.0.1', ['10.0.0.1'])).toBe(true)
  })
})
