import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { refuseForeignToken } from './check-token.ts'

const issuer = 'https://idp.example'
const resource = 'https://box.example/mcp'
const jwt = (claims: object) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))

describe('a token is checked as far as it can be read', () => {
  it.each([
    ['of the issuer, for the server', { iss: issuer, aud: resource }],
    ['of the issuer, written with a slash', { iss: `${issuer}/`, aud: resource }],
    ['for the whole host', { iss: issuer, aud: 'https://box.example' }],
    ['for the server and its own provider', { iss: issuer, aud: [`${issuer}/userinfo`, resource] }],
    ['for a name that is no address', { iss: issuer, aud: 'a-client-id' }],
    ['that says neither', {}],
  ])('takes one %s', async (_, claims) => {
    verifies('U4')
    expect(() => refuseForeignToken('opaque', { name: 'box', issuer, resource })).not.toThrow()
    const token = await jwt(claims)
    expect(refuseForeignToken(token, { name: 'box', issuer, resource })).toBeUndefined()
  })

  it.each([
    ['of another issuer', { iss: 'https://evil.example', aud: resource }, 'from another issuer'],
    ['for another host', { iss: issuer, aud: 'https://other.example/mcp' }, 'for another server'],
    ['for another path', { iss: issuer, aud: 'https://box.example/other' }, 'for another server'],
    ['for a host that begins alike', { iss: issuer, aud: 'https://box.example.evil' }, 'for another server'],
  ])('refuses one %s', async (_, claims, why) => {
    verifies('U4')
    const token = await jwt(claims)
    expect(() => refuseForeignToken(token, { name: 'box', issuer, resource })).toThrow(why)
  })

  it('asks for no audience where the server names no resource, and for no issuer where nobody says who it is', async () => {
    verifies('U4')
    const token = await jwt({ iss: 'https://anybody.example', aud: 'https://other.example' })
    expect(refuseForeignToken(token, { name: 'api', issuer: undefined })).toBeUndefined()
  })
})
