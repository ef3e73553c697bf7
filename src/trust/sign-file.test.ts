import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSigner, removeSigners, type Signer } from '../../test/helpers/signing.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { signFile, signText } from './sign-file.ts'

let signer: Signer
beforeAll(() => {
  signer = makeSigner()
})
afterAll(removeSigners)

const options = () => ({ key: signer.key, system: signer.spaces.system })

describe('signing a file', () => {
  it('replaces an old signature and keeps everything else', () => {
    verifies('R77')
    const body = '#!/bin/bash\n# @version 1.0.0\necho hi\n'
    const file = signer.write('project/.ai/tools/a.sh', body)
    signFile(file, options())
    const once = readFileSync(file, 'utf8')
    signFile(file, options())
    const twice = readFileSync(file, 'utf8')
    expect(twice.match(/rye:signed:/g)).toHaveLength(1)
    expect(twice.split('\n').filter((line) => !line.includes('rye:signed:'))).toEqual(body.split('\n'))
    expect(once.split('\n')[0]).toBe('#!/bin/bash')
    expect(signer.store.judgeFile(file).status).toBe('trusted')
  })

  it.each(['# rye:validated:abc', '# kiwi-mcp:validated:abc', '# rye:signed:broken'])(
    'replaces %s',
    (line) => {
      verifies('R71', 'R77')
      const file = signer.write('project/.ai/tools/old.py', `${line}\na = 1\n`)
      signFile(file, options())
      expect(readFileSync(file, 'utf8').split('\n').slice(1)).toEqual(['a = 1', ''])
    },
  )

  it('keeps the mode and CRLF line ends', () => {
    verifies('R77')
    const file = signer.write('project/.ai/tools/m.py', '#!/usr/bin/env python3\r\na = 1\r\n')
    chmodSync(file, 0o751)
    signFile(file, options())
    expect(statSync(file).mode & 0o777).toBe(0o751)
    expect(readFileSync(file, 'utf8')).toMatch(
      /^#!\/usr\/bin\/env python3\r\n# rye:signed:[^\n]*\r\na = 1\r\n$/,
    )
    expect(signer.store.judgeFile(file).status).toBe('trusted')
  })

  it('writes a detached signature for files without comments', () => {
    verifies('R70', 'R77')
    const file = signer.write('project/.ai/tools/d.json', '{"a": 1}\n')
    expect(signFile(file, options()).signatureFile).toBe(`${file}.sig`)
    expect(readFileSync(file, 'utf8')).toBe('{"a": 1}\n')
    expect(readFileSync(`${file}.sig`, 'utf8')).toMatch(/^rye:signed:[^\n]+\n$/)
    expect(signer.store.judgeFile(file).status).toBe('trusted')
    signer.write('project/.ai/tools/d.json', '{"a": 2}\n')
    expect(signer.store.judgeFile(file).status).toBe('tampered')
  })

  it('leaves an invalid file untouched and no draft behind', () => {
    verifies('R77')
    const file = signer.write('project/.ai/tools/bad/b.py', 'a = 1\n')
    const problem = {
      code: 'x',
      severity: 'error' as const,
      message: 'is wrong',
      hint: 'Fix it.',
      file,
      line: 3,
    }
    expect(() => signFile(file, { ...options(), validate: () => [problem] })).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining(`${file}:3`) }),
    )
    expect(readFileSync(file, 'utf8')).toBe('a = 1\n')
    expect(readdirSync(dirname(file))).toEqual(['b.py'])
  })

  it('refuses files that ship with the program and files that are no text', () => {
    verifies('R77')
    const shipped = signer.write('system/tools/x.py', 'a = 1\n')
    expect(() => signFile(shipped, options())).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
    const link = join(signer.dir, 'link.py')
    symlinkSync(shipped, link)
    expect(() => signFile(link, options())).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
    const binary = signer.write('project/x.py', Buffer.from([0x61, 0xff, 0xfe]))
    expect(() => signFile(binary, options())).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }))
    expect(readFileSync(shipped, 'utf8')).toBe('a = 1\n')
  })

  it('refuses a file whose byte order mark the signature line would displace', () => {
    verifies('R72', 'R77')
    const file = signer.write('project/.ai/tools/bom.py', '\uFEFFa = 1\n')
    expect(() => signFile(file, options())).toThrow('byte order mark')
    expect(readFileSync(file, 'utf8')).toBe('\uFEFFa = 1\n')
    const detached = signer.write('project/.ai/tools/bom.json', '\uFEFF{}')
    signFile(detached, options())
    expect(signer.store.judgeFile(detached).status).toBe('trusted')
  })

  it('gives a signature that verifies for any text, whatever its line ends', () => {
    verifies('R72', 'R77')
    const line = fc.oneof(fc.string(), fc.constantFrom('#!/bin/sh', '# x', '', 'a: 1', '# rye:signed:x'))
    const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '')), { maxLength: 14 })
    fc.assert(
      fc.property(text, fc.constantFrom('x.py', 'x.js', 'x.md'), (lines, file) => {
        const given = lines.map(([content, end]) => content + end).join('')
        const signed = signText(file, given, signer.key, '2026-01-02T03:04:05Z')
        expect(signer.store.verifyText(file, signed).status).toBe('trusted')
      }),
    )
  })
})
