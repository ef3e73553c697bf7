import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Config, defaultConfig } from '../../config/config.ts'
import { toolDocument } from '../../formats/tool-code/fixture.ts'
import { parseToolCode } from '../../formats/tool-code/parse-tool-code.ts'
import { openTestBed, type TestBed, toolOf } from './test-bed.ts'

/** What a tool gets that tries each expression: its value, or the error it ran into. */
async function attempts(
  bed: TestBed,
  expressions: { readonly [name: string]: string },
  context: object = {},
) {
  const source = `const text = async (f) => { try { return 'GOT ' + JSON.stringify(await f()) } catch (e) { return 'refused: ' + e.name + ' ' + e.message + ' ' + (e.cause?.message ?? '') } }
  export async function execute() { return { ${Object.entries(expressions)
    .map(([name, expression]) => `${JSON.stringify(name)}: await text(async () => ${expression})`)
    .join(', ')} } }`
  const { value, error } = await bed.run(
    toolOf(source, { limits: { memory_mb: 256, timeout_ms: 20_000, cpu_percent: 200 }, ...context }),
  )
  if (error) throw new Error(error.message)
  return value as { [name: string]: string }
}

describe.each(['preferred', 'off'] as const)('with the fence %s, a tool without permissions', (mode) => {
  let bed: TestBed
  beforeAll(() => {
    bed = openTestBed({}, mode)
  })
  afterAll(() => bed.close())

  it('reads no file, by whatever way', async () => {
    verifies('C33', 'C34', 'C-case-9', 'C-case-26')
    const got = await attempts(bed, {
      deno: 'Deno.readTextFile("/etc/hostname")',
      node: '(await import("node:fs")).readFileSync("/etc/hostname", "utf8")',
      fetch: '(await fetch("file:///etc/hostname")).text()',
      computedText: 'import(["file:///etc", "hostname"].join("/"), { with: { type: "text" } })',
      evaluated: 'eval(\'import("file:///etc/hostname", { with: { type: "text" } })\')',
      nested:
        'import("data:text/javascript," + encodeURIComponent(\'import x from "file:///etc/hostname" with {type:"text"}; export default x\'))',
      json: 'import("data:text/javascript," + encodeURIComponent(\'import x from "file:///proc/self/status" with {type:"json"}; export default x\'))',
      thread:
        'new Promise((ok, no) => { const w = new Worker("data:text/javascript," + encodeURIComponent(\'import x from "file:///etc/hostname" with {type:"text"}; postMessage(x)\'), { type: "module" }); w.onmessage = (e) => ok(e.data); w.onerror = (e) => { e.preventDefault(); no(new Error(e.message)) } })',
      require: '(await import("node:module")).createRequire("file:///x.js")("/etc/hostname")',
      database: 'new (await import("node:sqlite")).DatabaseSync("/tmp/toolcrib-escape.db")',
      list: '[...Deno.readDirSync("/")]',
      stat: 'Deno.statSync("/etc/passwd")',
    })
    expect(Object.entries(got).filter(([, outcome]) => !outcome.startsWith('refused'))).toEqual([])
  })

  it('writes nothing, starts nothing, calls no library and signals nobody', async () => {
    verifies('C33')
    const got = await attempts(bed, {
      write: 'Deno.writeTextFileSync("x", "1")',
      temp: 'Deno.makeTempFileSync()',
      run: 'new Deno.Command("/bin/ls").outputSync()',
      child: '(await import("node:child_process")).execFileSync("/bin/ls")',
      fork: '(await import("node:child_process")).fork("/tmp/x.js")',
      ffi: 'Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", { getpid: { parameters: [], result: "i32" } })',
      addon: '(await import("node:process")).dlopen({ exports: {} }, "/tmp/x.node")',
      kill: 'Deno.kill(Deno.ppid, "SIGKILL")',
      snapshot: '(await import("node:v8")).writeHeapSnapshot("/tmp/toolcrib-heap")',
      hostname: 'Deno.hostname()',
      interfaces: 'Deno.networkInterfaces()',
      chdir: 'Deno.chdir("/")',
    })
    expect(Object.entries(got).filter(([, outcome]) => !outcome.startsWith('refused'))).toEqual([])
  })

  it('sees no environment', async () => {
    verifies('C35', 'C-case-26')
    const got = await attempts(bed, {
      home: 'Deno.env.get("HOME")',
      all: 'Deno.env.toObject()',
      node: '(await import("node:process")).env.PATH',
      channel: '(await import("node:process")).env.NODE_CHANNEL_FD',
    })
    expect(Object.entries(got).filter(([, outcome]) => !outcome.startsWith('refused'))).toEqual([])
    expect(await attempts(bed, { zone: 'Intl.DateTimeFormat().resolvedOptions().timeZone' })).toEqual({
      zone: 'GOT "UTC"',
    })
  })

  it('imports nothing from outside', async () => {
    verifies('C14', 'C33')
    const got = await attempts(bed, {
      remote: 'import(["https://esm.sh", "zod"].join("/"))',
      npm: 'import(["npm", "left-pad"].join(":"))',
      jsr: 'import(["jsr", "@std/assert"].join(":"))',
      bare: 'import(["left", "pad"].join("-"))',
      relative: 'import(["./harness", "js"].join("."))',
    })
    expect(Object.entries(got).filter(([, outcome]) => !outcome.startsWith('refused'))).toEqual([])
  })

  it('has no network', async () => {
    const got = await attempts(bed, {
      fetch: 'fetch("http://127.0.0.1:4747/")',
      tcp: 'Deno.connect({ hostname: "127.0.0.1", port: 4747 })',
      udp: 'Deno.listenDatagram({ transport: "udp", port: 0 })',
      listen: 'Deno.listen({ port: 0 })',
      unix: 'Deno.connect({ transport: "unix", path: "/run/x.sock" })',
      dns: 'Deno.resolveDns("example.com", "A")',
      node: 'new Promise(async (ok, no) => (await import("node:net")).connect(4747, "127.0.0.1").on("connect", ok).on("error", no))',
      socket: 'new WebSocket("ws://127.0.0.1:4747")',
    })
    expect(Object.entries(got).filter(([, outcome]) => !outcome.startsWith('refused'))).toEqual([])
  })
})

describe('the channel', () => {
  let bed: TestBed
  beforeAll(() => {
    bed = openTestBed()
  })
  afterAll(() => bed.close())

  // Deno's own channel writer, which a hostile tool can dig out of node:process.
  const hostile = (body: string) =>
    `import process from 'node:process'
    const send = Object.getPrototypeOf(process).send ?? process.constructor?.prototype?.send ?? null
    export async function execute(input, context) { ${body} }`

  it('is not offered to the tool', async () => {
    expect((await bed.run(toolOf(hostile('return [typeof process.send, send === null]')))).value).toEqual([
      'undefined',
      true,
    ])
  })

  // The descriptor itself is within reach: whatever the tool likes arrives here, unseen by the harness.
  const forged = (line: string) =>
    toolOf(`import net from 'node:net'
    export async function execute() {
      const channel = new net.Socket({ fd: 3 })
      await new Promise((resolve) => channel.write(${line} + '\\n', resolve))
      await new Promise((resolve) => setTimeout(resolve, 300))
      return 'through'
    }`)

  it('takes forged values that are nested without end as text', async () => {
    verifies('C37')
    const line = `'{"t":"log","id":1,"level":"info","message":"x","data":' + JSON.stringify('['.repeat(20_000) + ']'.repeat(20_000)) + '}'`
    const { value, logs } = await bed.run(forged(line))
    expect(value).toBe('through')
    expect(logs).toMatchObject([{ message: 'x', data: expect.stringMatching(/^\[{20000}\]/) }])
  })

  it.each([
    ['a value where a text belongs', `'{"t":"log","id":1,"level":"info","message":"x","data":[]}'`],
    ['a text without end', `'{"t":"log","id":1,"level":"info","message":"' + 'data:'.repeat(200_000) + '"}'`],
    ['an error without end', `'{"t":"error","id":1,"message":"' + 'x'.repeat(100_000) + '","stack":""}'`],
  ])('ends a worker that forges %s, at once', async (_, line) => {
    verifies('C37')
    const started = performance.now()
    expect((await bed.run(forged(line))).error).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('misused the channel'),
    })
    expect(performance.now() - started).toBeLessThan(4_000)
  })

  it('refuses a forged result that is nested deeper than anything could show', async () => {
    verifies('C37')
    const line = `JSON.stringify({ t: 'result', id: 1, json: '['.repeat(20_000) + ']'.repeat(20_000) })`
    expect((await bed.run(forged(line))).error).toMatchObject({ code: 'RESULT_INVALID' })
  })

  it('is reached by a forged result only through the tool itself, and checked all the same', async () => {
    verifies('C37')
    const tool = toolOf('export function execute() { return { toJSON: () => "x".repeat(3_000_000) } }')
    expect((await bed.run(tool)).error).toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
  })
})

describe.each(['preferred', 'off'] as const)('with the fence %s, a tool with network', (mode) => {
  let server: Server
  let other: Server
  let port: number
  let bed: TestBed
  const config = (tools: Config['tools'], grants: readonly string[]): Partial<Config> => ({
    tools,
    grants: { default: ['fs.read'], tools: { tried: grants } },
    deno: defaultConfig.deno,
  })
  beforeAll(async () => {
    const answer = (_: unknown, response: { end(text: string): void }) => response.end('reached')
    server = createServer(answer).listen(0, '127.0.0.1')
    other = createServer(answer).listen(0, '127.0.0.2')
    await Promise.all(
      [server, other].map((each) => new Promise((resolve) => each.once('listening', resolve))),
    )
    port = (server.address() as AddressInfo).port
    bed = openTestBed(config({}, ['net.http', `net.http:localhost:${port}`]), mode)
  })
  afterAll(async () => {
    await bed.close()
    server.close()
    other.close()
  })
  const get = (url: string) =>
    `fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(3000) }).then((r) => r.text())`

  it('that may go anywhere reaches no private address, in no spelling', async () => {
    verifies('C21', 'C36', 'C-case-24')
    const plain = openTestBed(config({}, ['net.http']), mode)
    const hosts = [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f000001',
      '127.1',
      '0.0.0.0',
      '169.254.169.254',
      '10.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      '100.64.0.1',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[fd00::1]',
      '[fe80::1]',
    ]
    const got = await attempts(
      plain,
      Object.fromEntries(hosts.map((host) => [host, get(`http://${host}:${port}/`)])),
      { permissions: { network: true } },
    )
    await plain.close()
    expect(
      Object.entries(got).filter(
        ([, outcome]) => !/^refused: (NotCapable|TypeError) .*(Requires net access|private)/.test(outcome),
      ),
    ).toEqual([])
  })

  it('that lists localhost with a port reaches that port and nothing beside it', async () => {
    verifies('C21', 'C36', 'C-case-25')
    const otherPort = (other.address() as AddressInfo).port
    const got = await attempts(
      bed,
      {
        name: get(`http://localhost:${port}/`),
        address: get(`http://127.0.0.1:${port}/`),
        neighbour: get(`http://127.0.0.2:${otherPort}/`),
        otherPort: get(`http://127.0.0.1:${port === 4747 ? 4748 : 4747}/`),
        elsewhere: get('http://10.0.0.1/'),
      },
      { permissions: { network: [`localhost:${port}`] } },
    )
    expect(got).toMatchObject({ name: 'GOT "reached"', address: 'GOT "reached"' })
    for (const name of ['neighbour', 'otherPort', 'elsewhere'])
      expect(got[name]).toMatch(/^refused: NotCapable/)
  })

  it('does not start where the network it declares is not granted, and names the line to add', async () => {
    verifies('C25')
    const none = openTestBed(config({}, []), mode)
    const plain = openTestBed(config({}, ['net.http']), mode)
    const open = await none.run(toolOf('export const execute = () => 1', { permissions: { network: true } }))
    const local = await plain.run(
      toolOf('export const execute = () => 1', { permissions: { network: [`localhost:${port}`] } }),
    )
    await Promise.all([none.close(), plain.close()])
    expect(open.error).toMatchObject({
      code: 'CAPABILITY_DENIED',
      hint: expect.stringContaining('"tried": [net.http]'),
    })
    expect(local.error).toMatchObject({
      code: 'CAPABILITY_DENIED',
      hint: expect.stringContaining(`net.http:localhost:${port}`),
    })
  })

  it('takes net.call for net.http', async () => {
    verifies('C25')
    const call = openTestBed(config({}, ['net.call', `net.call:localhost:${port}`]), mode)
    const got = await attempts(
      call,
      { local: get(`http://localhost:${port}/`) },
      { permissions: { network: [`localhost:${port}`] } },
    )
    await call.close()
    expect(got['local']).toBe('GOT "reached"')
  })

  it('leaves a network namespace by the proxy, which is no way to anything else', async () => {
    const plain = openTestBed(config({}, ['net.http']), mode)
    const got = await attempts(
      plain,
      { name: get('http://no-such-name.example/'), other: get('http://other.example/') },
      { permissions: { network: ['no-such-name.example'] } },
    )
    await plain.close()
    expect(got['name']).not.toContain('Requires net access')
    expect(got['other']).toMatch(/^refused: NotCapable Requires net access to "other.example/)
  })

  it('gets what the operator adds, though it declares nothing', async () => {
    verifies('C25')
    const added = openTestBed(config({ tried: { network: [`127.0.0.1:${port}`] } }, []), mode)
    const got = await attempts(added, {
      local: get(`http://127.0.0.1:${port}/`),
      rest: get('http://10.0.0.1/'),
    })
    await added.close()
    expect(got['local']).toBe('GOT "reached"')
    expect(got['rest']).toMatch(/^refused/)
  })

  it('imports remote code only from where a prefix allows it', async () => {
    verifies('C14', 'C33')
    const modules = createServer((request, response) => {
      response.setHeader('content-type', 'text/javascript')
      response.end(`export const from = ${JSON.stringify(request.url)}`)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => modules.once('listening', resolve))
    const at = `http://127.0.0.1:${(modules.address() as AddressInfo).port}`
    const own = openTestBed(config({}, ['net.http', `net.http:${at.slice(7)}`]), mode)
    const source = `import { from } from "${at}/lib/a.js"
    export const execute = async () => [from, await import(["http://127.0.0.1:${port}", "x.js"].join("/")).catch((e) => 'refused ' + e.message), await fetch("${at}/x").catch((e) => 'refused ' + e.message)]`
    const context = { permissions: { imports: [`${at}/lib/`] } }
    const { value, error, enforcement } = await own.run(toolOf(source, context))
    await own.close()
    const ungranted = await bed.run(toolOf(source, context))
    modules.close()
    expect(ungranted.error).toMatchObject({
      code: 'CAPABILITY_DENIED',
      hint: expect.stringContaining(at.slice(7)),
    })
    expect(error).toBeUndefined()
    expect(value).toEqual([
      '/lib/a.js',
      expect.stringMatching(/^refused .*import access/i),
      expect.stringMatching(/^refused .*net access/),
    ])
    expect(enforcement?.dimensions['imports']).toBe('partial')
    expect(
      parseToolCode(
        toolDocument({
          code: { language: 'typescript', source: `import "${at}/else/b.js"\n${source}` },
          ...context,
        }),
      ).problems,
    ).toMatchObject([{ code: 'tc-import-denied' }])
  })
})
