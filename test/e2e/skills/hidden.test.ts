// Hidden and middleware skills do not exist for whoever calls from outside, however the call comes in.
import { expect, it, onTestFinished } from 'vitest'
import { serveCrib } from '../../../src/surfaces/http/serve-crib.ts'
import { connect } from '../../../src/surfaces/mcp/fixtures/connect.ts'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, skillCrib } from './skill-crib.ts'

const skills = {
  'open.skill.js': code(anyParams, 'return 1'),
  'secret.skill.js': code({ ...anyParams, visibility: 'hidden' }, 'return 1'),
  'mid.skill.js': code({ ...anyParams, role: 'middleware' }, 'return 1'),
}
const inner = ['secret', 'mid', 'skill:secret', './secret.skill.js']

it('HTTP answers a call of a hidden or middleware skill as it does an unknown one', async () => {
  verifies('S11', 'S83', 'K21')
  const { crib } = await skillCrib(skills)
  const served = await serveCrib(crib, { port: 0 })
  onTestFinished(() => served.close())
  const call = (id: string) =>
    fetch(`${served.url}/api/tools/${encodeURIComponent(id)}/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
      body: '{}',
    })
  expect((await call('open')).status).toBe(200)
  for (const id of inner) {
    const response = await call(id)
    expect([id, response.status]).toEqual([id, 404])
    const problem = (await response.json()) as { code: string; hint?: string }
    expect(problem.code).toBe('TOOL_NOT_FOUND')
    expect(problem.hint ?? '').not.toMatch(/"(secret|mid)"/)
  }
})

it('MCP answers a call of a hidden or middleware skill as it does an unknown one', async () => {
  verifies('S11', 'S83', 'K21')
  const { crib } = await skillCrib(skills)
  const client = await connect(crib)
  expect(await client.callTool({ name: 'open', arguments: {} })).toMatchObject({ content: [{ text: '1' }] })
  for (const name of inner)
    await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 })
  const search = await connect(crib, { expose: 'search' })
  for (const name of inner)
    expect(await search.callTool({ name: 'call_tool', arguments: { name } })).toMatchObject({
      isError: true,
      _meta: { 'toolcrib/error': { code: 'TOOL_NOT_FOUND' } },
    })
})
