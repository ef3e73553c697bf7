// A key of 32 bytes in a file of its own, made once, whoever comes first.
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../config/make-folder.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'

export function readKeyFile(file: string, mayMake: boolean): Buffer {
  try {
    if (mayMake && !existsSync(file)) makeKeyFile(file)
    return parseKey(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (isToolError(error)) throw error
    throw keyMissing(
      `The key of the secrets store, ${file}, cannot be read: ${(error as Error).message}.`,
      error,
    )
  }
}

/** Writes the whole key first and links it into place, so that two processes never see two keys. */
function makeKeyFile(file: string): void {
  makeFolder(dirname(file), 0o700)
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
    chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

export function parseKey(text: string, where: string): Buffer {
  const trimmed = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64')
  if (key.length === 32) return key
  throw keyMissing(`The key of the secrets store in ${where} is not 32 bytes of base64 or hex.`)
}

function keyMissing(message: string, cause?: unknown): ToolError {
  return new ToolError('SECRETS_KEY_MISSING', message, {
    hint: 'Put the key file back (it has mode 0600), or set TOOLCRIB_SECRETS_KEY.',
    cause,
  })
}
