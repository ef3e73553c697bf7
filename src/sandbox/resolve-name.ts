// From a name to addresses. Whoever judges addresses resolves a name once and uses the very answer that was judged.
import { lazyModule } from '../tool/lazy-module.ts'

const dns = lazyModule<typeof import('node:dns/promises')>('node:dns/promises')

/** Every address of a name, best first; throws when there is none. */
export type ResolveName = (host: string) => Promise<readonly string[]>

/** Asks the system's resolver. */
export const resolveName: ResolveName = async (host) =>
  (await dns().lookup(host, { all: true })).map((found) => found.address)
