// The crib itself: its state folder, store, keys, port and definitions.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { makeFolder } from '../../../config/make-folder.ts'
import type { Crib } from '../../../crib/crib.ts'
import { messageOf } from '../../../tool/tool-error.ts'
import { loadSigningKey, signingFolder } from '../../../trust/signing-key.ts'
import { portHolder } from '../../http/port-holder.ts'
import type { Diagnosis } from './diagnosis.ts'

export async function checkCrib(crib: Crib): Promise<Diagnosis[]> {
  return [
    stateCheck(crib),
    await storeCheck(crib),
    keyCheck(crib),
    await portCheck(crib.config.serve.host, crib.config.serve.port),
    ...fenceChecks(crib),
    definitionCheck(crib),
  ]
}

function stateCheck(crib: Crib): Diagnosis {
  const base = { name: 'state folder', needed: false }
  try {
    makeFolder(crib.spaces.state)
    accessSync(crib.spaces.state, constants.W_OK)
    return { ...base, ok: true, detail: crib.spaces.state }
  } catch (error) {
    return {
      ...base,
      ok: false,
      detail: `${crib.spaces.state} cannot be written: ${messageOf(error)}; caches and records are off`,
      fix: isOwn(crib.root)
        ? `chmod u+w ${crib.root}`
        : `cp -R ${crib.root} ~/   (it belongs to another user; work in a copy of your own)`,
    }
  }
}

function isOwn(folder: string): boolean {
  const own = process.getuid?.()
  return own === undefined || own === 0 || statSync(folder).uid === own
}

async function storeCheck(crib: Crib): Promise<Diagnosis> {
  const where = crib.config.store
  const isFile = !/^\w+:\/\//.test(where)
  const base = { name: 'store', needed: false }
  if (isFile && where !== ':memory:' && !existsSync(where))
    return { ...base, ok: true, detail: 'made by the first recorded call or breadcrumb' }
  try {
    const { count } = await (await crib.crumbs.store()).runs.head()
    const size = isFile && existsSync(where) ? `, ${Math.ceil(statSync(where).size / 1024)} KiB` : ''
    return { ...base, ok: true, detail: `${hidden(where)}: ${count} records${size}` }
  } catch (error) {
    return {
      ...base,
      ok: false,
      detail: `${hidden(where)} cannot be opened: ${messageOf(error)}; runs are not recorded`,
      fix: isFile
        ? `mv ${where} ${where}.broken   (a new one is made)`
        : 'toolcrib config explain   (look at store)',
    }
  }
}

/** A connection string without its password. */
function hidden(where: string): string {
  return where.replace(/\/\/[^@/]*@/, '//…@')
}

function keyCheck(crib: Crib): Diagnosis {
  const folder = signingFolder(crib.spaces.userAi)
  const trusted = crib.trust.keys.length
  const counted = `${trusted} trusted key${trusted === 1 ? '' : 's'}`
  const base = { name: 'keys', needed: crib.config.trust === 'require' && trusted === 0 }
  try {
    const { keyId } = loadSigningKey(folder)
    return { ...base, ok: true, detail: `signing key ${keyId}, ${counted}` }
  } catch (error) {
    return {
      ...base,
      ok: false,
      detail: `${messageOf(error)} You can sign nothing yet; ${counted}.`,
      fix: 'toolcrib keys new',
    }
  }
}

function portCheck(host: string, port: number): Promise<Diagnosis> {
  const base = { name: 'port', needed: false }
  if (port === 0) return Promise.resolve({ ...base, ok: true, detail: 'any free one' })
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      const holder = error.code === 'EADDRINUSE' ? portHolder(port) : undefined
      const why =
        error.code === 'EADDRINUSE'
          ? `is in use${holder ? ` by ${holder}` : ''}`
          : `cannot be used: ${error.message}`
      resolve({ ...base, ok: false, detail: `${host}:${port} ${why}`, fix: 'toolcrib serve --port 0' })
    })
    server.listen(port, host, () =>
      server.close(() => resolve({ ...base, ok: true, detail: `${host}:${port} is free` })),
    )
  })
}

function fenceChecks(crib: Crib): Diagnosis[] {
  return crib.fence.layers().map((layer) => ({
    name: `fence: ${layer.name}`,
    ok: layer.available,
    needed: crib.config.sandbox.mode === 'required',
    detail: layer.detail,
    fix: layer.fix || undefined,
  }))
}

function definitionCheck(crib: Crib): Diagnosis {
  const errors = crib.problems.filter((problem) => problem.severity === 'error').length
  return {
    name: 'crib',
    ok: errors === 0,
    needed: false,
    detail: `${crib.list().length} tools, ${errors} error${errors === 1 ? '' : 's'} in definitions`,
    fix: 'toolcrib check',
  }
}
