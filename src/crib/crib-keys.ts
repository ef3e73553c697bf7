// Where is the key of the secrets, and with which is the audit chain signed?
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { fromHome, type Spaces } from '../config/spaces.ts'
import { ChainSeal } from '../runs/chain-seal.ts'
import { parseKey, readKeyFile } from '../secrets/key-file.ts'
import { sha256 } from '../tool/json.ts'

interface KeyParts {
  config(): Config
  readonly spaces: Spaces
  readonly env: NodeJS.ProcessEnv
}

/** Where the key of the secrets is. */
export function secretsKey({ config, env, spaces }: KeyParts) {
  const { file } = config().secrets
  const fromEnv = file?.startsWith('env://') ? env[file.slice(6)] : env['TOOLCRIB_SECRETS_KEY']
  return {
    keyFile:
      file && !file.startsWith('env://')
        ? resolve(spaces.project, fromHome(file, spaces))
        : join(spaces.userConfig, 'secrets.key'),
    isKeyConfigured: file !== null,
    keyText: fromEnv || undefined,
  }
}

/** Where a crib keeps how far its audit chain was sealed. */
export function auditFolder({ userConfig }: Spaces): string {
  return join(userConfig, 'audit')
}

/** Signed with a key of the user's; nodes that share a database share the key of the secrets. */
export function chainSeal(parts: KeyParts): ChainSeal | undefined {
  const { config, spaces } = parts
  const { store } = config()
  if (store === ':memory:') return undefined
  const isShared = /:\/\//.test(store)
  const place = isShared ? store : resolve(spaces.project, store)
  return new ChainSeal({
    memory: join(auditFolder(spaces), `${sha256(place).slice(0, 32)}.json`),
    key: () => {
      if (!isShared) return readKeyFile(join(auditFolder(spaces), 'key'), true)
      const { keyText, keyFile, isKeyConfigured } = secretsKey(parts)
      return keyText ? parseKey(keyText, 'the environment') : readKeyFile(keyFile, !isKeyConfigured)
    },
  })
}
