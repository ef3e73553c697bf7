import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSigner, payload, removeSigners, type Signer, strangerKey } from '../../test/helpers/signing.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { sha256 } from '../tool/json.ts'
import { trustKey } from './keys.ts'
import { readPublicKey } from './public-key.ts'
import { signFile, signText } from './sign-file.ts'
import { decode } from './trust-store.ts'

let signer: Signer
beforeAll(() => {
  signer = makeSigner()
})
afterAll(removeSigners)

const at = '2026-01-02T03:04:05Z'
const python =
  '#!/usr/bin/env python3\n"""Doc"""\n__version__ = "1.0.0"\n\ndef execute(p, q):\n    return {}\n'

describe('a signature line', () => {
  it.each([
    ['x.py', '# '],
    ['x.yaml', '# '],
    ['x.yml', '# '],
    ['x.sh', '# '],
    ['x.toml', '# '],
    ['x.js', '// '],
    ['x.ts', '// '],
    ['x.mjs', '// '],
    ['x.cjs', '// '],
    ['x.md', '<!-- '],
  ])('of %s opens with "%s" and verifies', (file, prefix) => {
    verifies('R69', 'R70')
    const text = signText(file, 'a: 1\n', signer.key, at)
    expect(text.startsWith(`${prefix}rye:signed:${at}:`)).toBe(true)
    expect(signer.store.verifyText(file, text)).toMatchObject({
      status: 'trusted',
      keyId: signer.key.keyId,
      signedAt: at,
      owner: 'Ada',
      keyTier: 'user',
    })
  })

  it('of JSON is a file beside it that holds just the payload', () => {
    verifies('R70')
    const text = '{"tool_type": "x"}\n'
    const sig = `${payload(signer.key, sha256(text))}\n`
    expect(signer.store.verifyText('x.json', text, sig).status).toBe('trusted')
    expect(signer.store.verifyText('x.json', text, null).status).toBe('unsigned')
    expect(signer.store.verifyText('x.json', text, `# ${sig}`)).toMatchObject({
      status: 'unsigned',
      warning: { code: 'signature-malformed' },
    })
  })

  it('shows who vouched without signing it', () => {
    verifies('R69')
    const text = signText('x.py', 'a = 1\n', signer.key, at).replace(/\n/, '|github@ada-l\n')
    expect(signer.store.verifyText('x.py', text).status).toBe('trusted')
  })

  it.each([
    ['a short hash', (line: string) => line.replace(/:[0-9a-f]{64}:/, ':abc:')],
    ['a second space', (line: string) => line.replace('# ', '#  ')],
    ['text behind it', (line: string) => `${line} and more`],
    ['a line separator behind it', (line: string) => `${line} \u2028evil()`],
    ['a short signature', (line: string) => line.replace(/:[\w-]{86}:/, ':AAAA:')],
    [
      'another spelling of the same bytes',
      (line: string) => line.replace(/(.):([0-9a-f]{16})$/, (_, c, id) => `${next(c)}:${id}`),
    ],
    ['a vouching without user', (line: string) => `${line}|github`],
  ])('with %s counts as unsigned and is warned about', (_, change) => {
    verifies('R69')
    const [line, ...rest] = signText('x.py', 'a = 1\n', signer.key, at).split('\n')
    expect(signer.store.verifyText('x.py', [change(line!), ...rest].join('\n'))).toMatchObject({
      status: 'unsigned',
      warning: { code: 'signature-malformed', line: 1 },
    })
  })

  it('stands below a shebang, on line 2', () => {
    verifies('R71', 'R72')
    const text = signText('x.py', python, signer.key, at)
    expect(text.split('\n')[0]).toBe('#!/usr/bin/env python3')
    expect(text.split('\n')[1]).toContain('rye:signed:')
    expect(signer.store.verifyText('x.py', text).status).toBe('trusted')
    expect(signer.store.verifyText('x.py', text.replace(/^.*\n/, '')).status).toBe('trusted')
  })

  it('of a JavaScript file may stand above the shebang', () => {
    verifies('R71')
    const [shebang, line, ...rest] = signText('x.js', '#!/usr/bin/env node\nlet a\n', signer.key, at).split(
      '\n',
    )
    expect(signer.store.verifyText('x.js', [line, shebang, ...rest].join('\n')).status).toBe('trusted')
  })

  it.each([
    [2, 'unsigned', 'signature-misplaced'],
    [10, 'unsigned', 'signature-misplaced'],
    [11, 'unsigned', undefined],
  ])('on line %i of a file without shebang counts as %s', (line, status, code) => {
    verifies('R71')
    const [signature, ...rest] = signText('x.ts', '\n', signer.key, at).split('\n')
    const text = [...Array(line - 1).fill('// text'), signature, ...rest].join('\n')
    const verification = signer.store.verifyText('x.ts', text)
    expect([verification.status, verification.warning?.code]).toEqual([status, code])
  })

  it.each(['# rye:validated:x', '# kiwi-mcp:validated:x'])(
    'of the old kind (%s) counts as unsigned',
    (line) => {
      verifies('R71')
      expect(signer.store.verifyText('x.py', `${line}\na = 1\n`).status).toBe('unsigned')
    },
  )
})

describe('the verdict', () => {
  it('does not depend on line ends', () => {
    verifies('R72')
    const text = signText('x.py', python, signer.key, at)
    expect(signer.store.verifyText('x.py', text.replaceAll('\n', '\r\n')).status).toBe('trusted')
    expect(signer.store.verifyText('x.py', text.replaceAll('\n', '\r')).status).toBe('trusted')
  })

  it.each([
    ['a byte order mark', (text: string) => text.replace('\n"""', '\n\uFEFF"""')],
    ['a final newline more', (text: string) => `${text}\n`],
    ['a blank at a line end', (text: string) => text.replace('"1.0.0"\n', '"1.0.0" \n')],
  ])('sees %s', (_, change) => {
    verifies('R72')
    expect(signer.store.verifyText('x.py', change(signText('x.py', python, signer.key, at)))).toMatchObject({
      status: 'tampered',
      verdict: 'modified',
    })
  })

  it('is modified when the shebang line carries code behind a line separator', () => {
    verifies('R72')
    const text = signText('x.js', '#!/usr/bin/env node\nlet a\n', signer.key, at)
    expect(signer.store.verifyText('x.js', text.replace('node\n', 'node\u2028evil()\n')).status).not.toBe(
      'trusted',
    )
  })

  it('is untrusted for an unknown key, also when nothing was changed', () => {
    verifies('R78')
    const stranger = strangerKey()
    expect(signer.store.verifyText('x.py', signText('x.py', python, stranger, at))).toMatchObject({
      status: 'untrusted',
      keyId: stranger.keyId,
      reason: `key ${stranger.keyId} is unknown`,
    })
  })

  it('is bad when a known key did not make the signature', () => {
    verifies('R78')
    const forged = signText('x.py', python, strangerKey(), at).replace(
      /[0-9a-f]{16}\n/,
      `${signer.key.keyId}\n`,
    )
    expect(signer.store.verifyText('x.py', forged)).toMatchObject({ status: 'tampered', verdict: 'bad' })
  })

  it('is modified before it is untrusted', () => {
    verifies('R78')
    const text = signText('x.py', python, strangerKey(), at).replace('1.0.0', '1.0.1')
    expect(signer.store.verifyText('x.py', text).verdict).toBe('modified')
  })
})

describe('the later dialect', () => {
  it.each(['rye', 'ryeos'])('is read with the tag %s: long key id, standard base64, raw bytes', (tag) => {
    verifies('R73')
    const body = 'a = 1\r\nb = 2\r\n'
    const text = `# ${payload(signer.key, sha256(body), { tag, long: true })}\n${body}`
    expect(signer.store.verifyText('x.py', text)).toMatchObject({
      status: 'trusted',
      keyId: signer.key.longId,
    })
    expect(signer.store.verifyText('x.py', text.replaceAll('\r\n', '\n')).verdict).toBe('modified')
  })

  it('is never written', () => {
    verifies('R73')
    expect(signText('x.py', 'a = 1\n', signer.key, at)).toMatch(
      /^# rye:signed:[^|]*:[\w-]{86}:[0-9a-f]{16}\n/,
    )
  })
})

it('refuses every change of one byte of a signed file', () => {
  verifies('R72', 'R78')
  const text = signText('x.py', python.slice(python.indexOf('\n') + 1), signer.key, at)
  const bytes = Buffer.from(text)
  const bodyFrom = text.indexOf('\n') + 1
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: bytes.length - 1 }),
      fc.integer({ min: 0, max: 255 }),
      (index, value) => {
        // A lone CR is a line end like any other.
        fc.pre(bytes[index] !== value && !(bytes[index] === 10 && value === 13))
        const changed = Buffer.from(bytes)
        changed[index] = value
        const file = signer.write('changed.py', changed)
        const { status } = signer.store.judgeFile(file)
        // The time is not signed; everything else on the first line is.
        const isTime = index < bodyFrom && status === 'trusted'
        if (isTime) expect(text.slice(0, index)).toMatch(/^# rye:signed:[\dTZ:-]*$/)
        else expect(status).not.toBe('trusted')
        if (index >= bodyFrom) expect(['tampered', 'invalid']).toContain(status)
      },
    ),
    { numRuns: 600 },
  )
})

it('refuses a line end of a shell script turned into a carriage return', () => {
  verifies('R72', 'R78')
  const text = signText('x.sh', '# says it\necho said\n', signer.key, at)
  expect(signer.store.verifyText('x.sh', text.replaceAll('\n', '\r\n')).status).toBe('trusted')
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const changed = `${text.slice(0, at)}\r${text.slice(at + 1)}`
    expect(signer.store.verifyText('x.sh', changed).status).toBe('tampered')
  }
  expect(() =>
    signFile(signer.write('stray.sh', 'echo a\recho b\n'), { key: signer.key, system: signer.spaces.system }),
  ).toThrow('carriage return')
})

const seed = process.env['TOOLCRIB_SEEDS'] ?? new URL('../../../shared/seeds', import.meta.url).pathname

const isHere = existsSync(`${seed}/rye-tool-format.md`)
if (!isHere)
  console.info(`skipped: the published document is not in ${seed}; set TOOLCRIB_SEEDS to its folder`)

it('knows the published key by its id', () => {
  verifies('R72', 'R74')
  const spki = 'MCowBQYDK2VwAyEAUbAHc8d2KetZE2I9eb+VaUpTLkNsDJtFaAsY0nTEm7I='
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`
  expect(readPublicKey(pem).keyId).toBe('6ea18199041a1ea8')
})

describe.skipIf(!isHere)('the published document', () => {
  const file = `${seed}/rye-tool-format.md`
  const keyId = '6ea18199041a1ea8'
  const spki = 'MCowBQYDK2VwAyEAUbAHc8d2KetZE2I9eb+VaUpTLkNsDJtFaAsY0nTEm7I='

  it('verifies with its key, also with CRLF, and not after a change', () => {
    verifies('R74')
    const text = readFileSync(file, 'utf8')
    expect(signer.store.verifyText(file, text)).toMatchObject({ status: 'untrusted', keyId })
    trustKey(signer.store, `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`, 'rye-os')
    expect(signer.store.verifyText(file, text)).toMatchObject({ status: 'trusted', keyId, owner: 'rye-os' })
    expect(signer.store.verifyText(file, text.replaceAll('\n', '\r\n')).status).toBe('trusted')
    const changed = text.replace('Canonical', 'canonical')
    expect(signer.store.verifyText(file, changed).verdict).toBe('modified')
    const hash = sha256(changed.slice(changed.indexOf('\n') + 1))
    expect(signer.store.verifyText(file, changed.replace(/[0-9a-f]{64}/, hash)).verdict).toBe('bad')
    expect(signer.store.verifyText(file, text.replace(keyId, '0123456789abcdef')).verdict).toBe('untrusted')
  })

  it('is tampered with after any change of one byte of its text', () => {
    verifies('R74', 'R78')
    trustKey(signer.store, `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`, 'rye-os')
    const bytes = readFileSync(file)
    const verdicts = new Set<string>()
    for (let index = bytes.indexOf(10) + 1; index < bytes.length; index++) {
      // The lowest bit: a letter becomes its neighbour, a byte of a longer character changes or breaks it.
      bytes[index]! ^= 1
      const text = decode(bytes)
      verdicts.add(text === null ? 'no text' : signer.store.verifyText(file, text).status)
      bytes[index]! ^= 1
    }
    expect([...verdicts]).toEqual(['tampered'])
  })
})

it('gives the same verdicts on a document of this form signed here', () => {
  verifies('R74')
  const text = signText('doc.md', '\n```yaml\nname: x\n```\n\n# Title\n', signer.key, at)
  expect(text.split('\n')[0]).toMatch(/^<!-- rye:signed:.* -->$/)
  expect(signer.store.verifyText('doc.md', text).verdict).toBe('trusted')
  expect(signer.store.verifyText('doc.md', text.replaceAll('\n', '\r\n')).verdict).toBe('trusted')
  const changed = text.replace('Title', 'title')
  expect(signer.store.verifyText('doc.md', changed).verdict).toBe('modified')
  const hash = sha256(changed.slice(changed.indexOf('\n') + 1))
  expect(signer.store.verifyText('doc.md', changed.replace(/[0-9a-f]{64}/, hash)).verdict).toBe('bad')
  expect(signer.store.verifyText('doc.md', text.replace(signer.key.keyId, '0123456789abcdef')).verdict).toBe(
    'untrusted',
  )
})

/** The next character of the base64url alphabet that keeps the bits that count. */
function next(char: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(char) + 1]!
}
