import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { toolDocument } from '../../../formats/tool-code/fixture.ts'
import { type ServedCrib, servedCrib } from '../fixtures/served-crib.ts'

const note = (title: string, more: object = {}) => ({
  title,
  schema_name: 'note.v1',
  tags: ['a'],
  context: { text: title },
  ...more,
})
const secretOf = (token: string) => `sha256:${createHash('sha256').update(token).digest('hex')}`

async function made(crib: ServedCrib, body: object): Promise<string> {
  const answer = await crib.ask('POST', '/breadcrumbs', body)
  expect(answer.status).toBe(201)
  return answer.body.id
}

describe('breadcrumbs over HTTP', () => {
  it('that were tools and become something else leave the catalog', async () => {
    verifies('C6')
    const crib = await servedCrib()
    const id = await made(crib, toolDocument({ name: 'passing' }))
    const isListed = () => crib.crib.list().some((tool) => tool.id === 'passing')
    await expect.poll(isListed).toBe(true)
    const changed = await crib.ask('PATCH', `/breadcrumbs/${id}`, { schema_name: 'note.v1' })
    expect(changed.status).toBe(200)
    await expect.poll(isListed).toBe(false)
  })

  it('are created with a place and a version, read with hints and in full', async () => {
    verifies('C110', 'C111', 'C116')
    const crib = await servedCrib()
    const created = await crib.ask('POST', '/breadcrumbs', {
      ...note('one', { context: { text: 'one', code: 'x', a: { b: 1, c: 2 } } }),
      llm_hints: { exclude: ['code', 'a.b'] },
    })
    expect(created).toMatchObject({ status: 201, body: { version: 1 } })
    const { id } = created.body
    expect(created.headers.get('location')).toBe(`/breadcrumbs/${id}`)
    expect(created.headers.get('etag')).toBe('"1"')
    const view = await crib.ask('GET', `/breadcrumbs/${id}`)
    expect(view.body.context).toEqual({ text: 'one', a: { c: 2 } })
    expect(view.headers.get('etag')).toBe('"1"')
    expect((await crib.ask('GET', `/breadcrumbs/${id}/full`)).body).toMatchObject({
      id,
      owner_id: 'local',
      created_by: 'operator',
      visibility: 'team',
      sensitivity: 'low',
      checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      context: { text: 'one', code: 'x', a: { b: 1, c: 2 } },
    })
  })

  it('are listed newest first, by all of their tags, page by page', async () => {
    verifies('C111', 'C-case-55')
    const crib = await servedCrib()
    for (let n = 0; n < 101; n++) await crib.crib.crumbs.create(note(`n${n}`, { tags: ['many'] }))
    await made(crib, note('ab', { tags: ['a', 'b'] }))
    await made(crib, note('only a'))
    const both = await crib.ask('GET', '/breadcrumbs?tag=a&tag=b&schema_name=note.v1')
    expect(both.body.map((item: { title: string }) => item.title)).toEqual(['ab'])
    const first = await crib.ask('GET', '/breadcrumbs?tag=many&include_context=false')
    expect(first.body).toHaveLength(100)
    expect(first.body[0]).toMatchObject({ title: 'n100' })
    expect(first.body[0]).not.toHaveProperty('context')
    const next = /^<(\/breadcrumbs\?[^>]+)>; rel="next"$/.exec(first.headers.get('link')!)![1]!
    const second = await crib.ask('GET', next)
    expect(second.body.map((item: { title: string }) => item.title)).toEqual(['n0'])
    expect(second.headers.get('link')).toBeNull()
  })

  it('are searched by words, which are never query syntax', async () => {
    verifies('C111')
    const crib = await servedCrib()
    await made(crib, note('a quick brown fox'))
    await made(crib, note('a slow fox'))
    const found = await crib.ask(
      'GET',
      `/breadcrumbs/search?schema_name=note.v1&q=${encodeURIComponent('quick AND "fox OR (')}`,
    )
    expect(found.body[0]).toMatchObject({ title: 'a quick brown fox', score: expect.any(Number) })
    expect((await crib.ask('GET', '/breadcrumbs/search')).status).toBe(400)
  })

  it('are changed under If-Match: stale 412 with the version, unreadable 400, two racing one wins', async () => {
    verifies('C111', 'C-case-53')
    const crib = await servedCrib()
    const id = await made(crib, note('one'))
    const patch = (body: object, version?: string) =>
      crib.ask(
        'PATCH',
        `/breadcrumbs/${id}`,
        body,
        version === undefined ? {} : { headers: { 'if-match': version } },
      )
    expect(await patch({ title: 'two' }, '"1"')).toMatchObject({
      status: 200,
      body: { ok: true, id, version: 2 },
    })
    expect(await patch({ title: 'x' }, '1')).toMatchObject({
      status: 412,
      body: { code: 'VERSION_MISMATCH', current_version: 2 },
    })
    for (const bad of ['abc', '"1", "2"', '-1', '""', '1e3'])
      expect(await patch({ title: 'x' }, bad)).toMatchObject({
        status: 400,
        body: { code: 'IF_MATCH_INVALID' },
      })
    expect(await patch({ title: 'three' }, '*')).toMatchObject({ status: 200, body: { version: 3 } })
    expect(await patch({ description: 'd' })).toMatchObject({ status: 200, body: { version: 4 } })
    expect(await patch({ description: null })).toMatchObject({ status: 200, body: { version: 5 } })
    const raced = await Promise.all([patch({ title: 'a' }, '5'), patch({ title: 'b' }, '5')])
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 412])
    const { body: history } = await crib.ask('GET', `/breadcrumbs/${id}/history`)
    expect(history.map((one: { version: number }) => one.version)).toEqual([6, 5, 4, 3, 2, 1])
    expect(history.at(-1)).toMatchObject({ title: 'one', updated_by: 'operator', context: { text: 'one' } })
    const stale = { headers: { 'if-match': '1' } }
    expect((await crib.ask('DELETE', `/breadcrumbs/${id}`, undefined, stale)).status).toBe(412)
    expect(await crib.ask('DELETE', `/breadcrumbs/${id}`)).toMatchObject({ status: 200, body: { ok: true } })
    expect((await crib.ask('DELETE', `/breadcrumbs/${id}`)).status).toBe(404)
  })

  it('with one idempotency key are one breadcrumb; another body under it is refused', async () => {
    verifies('C112', 'C-case-54')
    const crib = await servedCrib()
    const post = (body: object) =>
      crib.ask('POST', '/breadcrumbs', body, { headers: { 'idempotency-key': 'k1' } })
    const first = await post(note('one'))
    const again = await post(note('one'))
    expect(again.body).toEqual(first.body)
    expect(again.status).toBe(201)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(await post(note('two'))).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
  })

  it('need a token on every endpoint; an unknown id is a problem document', async () => {
    verifies('C111', 'C113', 'C-case-59')
    const crib = await servedCrib()
    const endpoints = [
      ['POST', '/breadcrumbs'],
      ['GET', '/breadcrumbs'],
      ['GET', '/breadcrumbs/search?q=x'],
      ['GET', '/breadcrumbs/x'],
      ['GET', '/breadcrumbs/x/full'],
      ['GET', '/breadcrumbs/x/history'],
      ['PATCH', '/breadcrumbs/x'],
      ['DELETE', '/breadcrumbs/x'],
      ['GET', '/events/stream'],
      ['POST', '/secrets'],
      ['GET', '/secrets'],
      ['PUT', '/secrets/x'],
      ['DELETE', '/secrets/x'],
      ['POST', '/secrets/x/decrypt'],
      ['POST', '/requests/x/retry'],
      ['GET', '/api/automation'],
      ['GET', '/api/crumbs/x/causation'],
      ['GET', '/api/tools/x/config'],
      ['PUT', '/api/tools/x/config'],
      ['GET', '/api/runs'],
    ] as const
    for (const [method, path] of endpoints) {
      const none = await crib.ask(method, path, undefined, { token: null })
      expect([path, none.status]).toEqual([path, 401])
      expect((await crib.ask(method, path, undefined, { token: 'tc_wrong_wrong_wrong' })).status).toBe(401)
    }
    for (const [method, path, body] of [
      ['GET', '/breadcrumbs/none', undefined],
      ['GET', '/breadcrumbs/none/full', undefined],
      ['GET', '/breadcrumbs/none/history', undefined],
      ['PATCH', '/breadcrumbs/none', { title: 'x' }],
      ['DELETE', '/breadcrumbs/none', undefined],
      ['GET', '/api/crumbs/none/causation', undefined],
      ['POST', '/requests/none/retry', {}],
    ] as const) {
      const answer = await crib.ask(method, path, body)
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      expect(answer.body).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        legacyCode: 'not_found',
        detail: expect.any(String),
      })
    }
  })

  it('answers malformed and invalid bodies with their own status and every fault', async () => {
    verifies('C110', 'C113')
    const crib = await servedCrib()
    expect(await crib.ask('POST', '/breadcrumbs', '{"title":')).toMatchObject({ status: 400 })
    expect(await crib.ask('POST', '/breadcrumbs', [1])).toMatchObject({ status: 400 })
    expect(await crib.ask('POST', '/breadcrumbs')).toMatchObject({ status: 400 })
    expect(
      await crib.ask('POST', '/breadcrumbs', 'title=x', { headers: { 'content-type': 'text/plain' } }),
    ).toMatchObject({ status: 415 })
    expect(
      await crib.ask('POST', '/breadcrumbs', {
        title: '',
        tags: [1],
        visibility: 'Public',
        ttl_type: 'usage',
      }),
    ).toMatchObject({
      status: 422,
      body: { errors: expect.arrayContaining([{ pointer: '/title', message: expect.any(String) }]) },
    })
    const large = { title: 'x', context: 'y'.repeat(4 * 1024 * 1024) }
    expect((await crib.ask('POST', '/breadcrumbs', large)).status).toBe(413)
    const fits = { title: 'x', context: 'y'.repeat(4 * 1024 * 1024 - 200) }
    expect((await crib.ask('POST', '/breadcrumbs', fits)).status).toBe(201)
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'cursor=abc', 'include_context=ja'])
      expect([query, (await crib.ask('GET', `/breadcrumbs?${query}`)).status]).toEqual([query, 400])
  })

  it('says of upstream endpoints that they are not offered', async () => {
    verifies('C111')
    const crib = await servedCrib()
    for (const path of ['/acl', '/acl/grant', '/agents', '/tenants/x', '/dlq', '/auth/token'])
      expect(await crib.ask('POST', path, {})).toMatchObject({ status: 404, body: { code: 'NOT_OFFERED' } })
    expect(await crib.ask('GET', '/subscriptions/selectors')).toMatchObject({
      status: 404,
      body: { code: 'NOT_OFFERED' },
    })
  })

  it('a request for a tool that nobody has is answered with the exit code of what is not there', async () => {
    verifies('C63')
    const crib = await servedCrib()
    await made(crib, {
      title: 'r',
      schema_name: 'tool.request.v1',
      tags: ['tool:request', 'workspace:tools'],
      context: { tool: 'nobody-has-it', input: {}, requestId: 'mine' },
    })
    const responses = async () =>
      (await crib.ask('GET', '/breadcrumbs?schema_name=tool.response.v1')).body.map(
        ({ context }: { context: unknown }) => context,
      )
    await expect.poll(async () => (await responses()).length, { timeout: 20_000 }).toBe(1)
    expect(await responses()).toMatchObject([
      { status: 'error', error_code: 'TOOL_NOT_FOUND', metadata: { exitCode: 3 } },
    ])
  })

  it('runs a failed request again as a new one', async () => {
    verifies('C66')
    const crib = await servedCrib()
    let failing = true
    crib.crib.addTool({
      id: 'flaky',
      params: { type: 'object' },
      fn: () => {
        if (failing) throw new Error('down')
        return 'up'
      },
    })
    const id = await made(crib, {
      title: 'r',
      schema_name: 'tool.request.v1',
      tags: ['tool:request', 'workspace:tools'],
      context: { tool: 'flaky', input: { n: 1 }, requestId: 'mine' },
    })
    const responses = () => crib.ask('GET', '/breadcrumbs?schema_name=tool.response.v1')
    await expect.poll(async () => (await responses()).body.length, { timeout: 20_000 }).toBe(1)
    failing = false
    const retried = await crib.ask('POST', `/requests/${id}/retry`)
    expect(retried).toMatchObject({ status: 201, body: { version: 1 } })
    await expect.poll(async () => (await responses()).body.length, { timeout: 20_000 }).toBe(2)
    expect((await responses()).body[0].context).toMatchObject({
      status: 'success',
      output: 'up',
      request_breadcrumb_id: retried.body.id,
    })
    const letter = await crib.ask('GET', '/breadcrumbs?schema_name=tool.error.v1')
    expect(await crib.ask('POST', `/requests/${letter.body[0].id}/retry`)).toMatchObject({
      status: 422,
      body: { code: 'NOT_A_REQUEST' },
    })
  })
})

describe('a narrowed token', () => {
  const token = 'a-token-of-some-length'
  const start = (grants?: string[], allowedTools?: string) =>
    servedCrib({
      config: {
        serve: {
          tokens: [
            {
              name: 'ci',
              token: secretOf(token),
              ...(grants ? { grants } : {}),
              ...(allowedTools === undefined ? {} : { allowedTools }),
            },
          ],
        },
      },
    })

  it('reads and writes only the schemas its grants name', async () => {
    verifies('C111')
    const crib = await start(['crumbs.read:note.*', 'crumbs.write:note.v1'])
    const other = await made(crib, note('hidden', { schema_name: 'plan.v1' }))
    const seen = await made(crib, note('seen'))
    const as = { token }
    expect((await crib.ask('GET', `/breadcrumbs/${seen}`, undefined, as)).status).toBe(200)
    expect((await crib.ask('GET', `/breadcrumbs/${other}`, undefined, as)).status).toBe(404)
    expect((await crib.ask('GET', `/breadcrumbs/${other}/history`, undefined, as)).status).toBe(404)
    expect((await crib.ask('PATCH', `/breadcrumbs/${other}`, { title: 'x' }, as)).status).toBe(404)
    const listed = await crib.ask('GET', '/breadcrumbs', undefined, as)
    expect(listed.body.map((item: { title: string }) => item.title)).toEqual(['seen'])
    const found = await crib.ask('GET', '/breadcrumbs/search?q=hidden', undefined, as)
    expect(found.body).toEqual([])
    expect((await crib.ask('POST', '/breadcrumbs', note('mine'), as)).status).toBe(201)
    expect((await crib.ask('POST', '/breadcrumbs', note('x', { schema_name: 'plan.v1' }), as)).status).toBe(
      403,
    )
    expect((await crib.ask('PATCH', `/breadcrumbs/${seen}`, { schema_name: 'plan.v1' }, as)).status).toBe(403)
    expect((await crib.ask('GET', '/secrets', undefined, as)).status).toBe(403)
    expect((await crib.ask('GET', '/api/automation', undefined, as)).status).toBe(403)
  })

  it('without grants for breadcrumbs is refused', async () => {
    verifies('C111')
    const crib = await start(['fs.read'])
    for (const [method, path, body] of [
      ['GET', '/breadcrumbs', undefined],
      ['POST', '/breadcrumbs', note('x')],
      ['GET', '/events/stream', undefined],
      ['GET', '/breadcrumbs/none', undefined],
      ['GET', '/breadcrumbs/none/full', undefined],
      ['GET', '/breadcrumbs/none/history', undefined],
      ['PATCH', '/breadcrumbs/none', {}],
      ['DELETE', '/breadcrumbs/none', undefined],
    ] as const)
      expect(await crib.ask(method, path, body, { token })).toMatchObject({
        status: 403,
        body: { code: 'CAPABILITY_DENIED', hint: expect.stringContaining('toolcrib tokens new') },
      })
  })

  it('cannot write what steers the crib unless a grant names it', async () => {
    verifies('C23')
    const crib = await start(['crumbs.read', 'crumbs.write'])
    const tool = toolDocument()
    expect((await crib.ask('POST', '/breadcrumbs', tool, { token })).status).toBe(403)
    const named = await start(['crumbs.read', 'crumbs.write:tool.code.v1'])
    expect((await named.ask('POST', '/breadcrumbs', tool, { token })).status).toBe(201)
  })

  it('cannot have a request run what it may not call itself', async () => {
    verifies('C60')
    const crib = await start(undefined, 'allowed')
    for (const id of ['allowed', 'forbidden']) crib.crib.addTool({ id, fn: () => id })
    for (const tool of ['allowed', 'forbidden']) {
      const answer = await crib.ask(
        'POST',
        '/breadcrumbs',
        {
          title: 'r',
          schema_name: 'tool.request.v1',
          tags: ['tool:request', 'workspace:tools'],
          context: { tool },
        },
        { token },
      )
      expect(answer.status).toBe(201)
    }
    const contexts = async () =>
      (await crib.ask('GET', '/breadcrumbs?schema_name=tool.response.v1')).body.map(
        (item: { context: { tool: string; status: string; error_code?: string } }) => [
          item.context.tool,
          item.context.error_code ?? item.context.status,
        ],
      )
    await expect
      .poll(async () => (await contexts()).sort(), { timeout: 20_000 })
      .toEqual([
        ['allowed', 'success'],
        ['forbidden', 'TOOL_NOT_ALLOWED'],
      ])
  })
})
