// The address in `bus`, taken apart: servers, who we are there, and our own settings. What people see of it has no
// password in it.
import type { ErrorCode } from '../../tool/error-codes.ts'
import type { ToolError } from '../../tool/tool-error.ts'
import { storeFault } from '../store-error.ts'

export interface NatsAddress {
  readonly servers: readonly string[]
  readonly shown: string
  readonly isTls: boolean
  readonly user?: string
  readonly password?: string
  readonly token?: string
  /** Names of subjects and streams begin with it: two cribs on one server have two. */
  readonly prefix: string
  readonly replicas: number
  /** Requests the work stream holds; with more, requests wait in the store alone. */
  readonly maxWork: number
}

/** `nats://user:password@host:4222,other:4222?prefix=crib&replicas=3` */
export function parseNatsAddress(text: string): NatsAddress {
  const [, scheme, hosts = '', query = ''] = /^(nats|tls):\/\/([^/?]+)\/?(?:\?(.*))?$/.exec(text) ?? []
  if (!scheme) throw wrong('The address in `bus` is not one such as nats://host:4222 or tls://host:4222.')
  const at = hosts.lastIndexOf('@')
  const [user, password] = at < 0 ? [] : hosts.slice(0, at).split(':')
  const servers = hosts.slice(at + 1).split(',')
  if (servers.some((server) => !/^(\[[0-9a-f:]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?$/.test(server)))
    throw wrong('A server in `bus` is not host:port.')
  const settings = new URLSearchParams(query)
  const prefix = settings.get('prefix') ?? 'toolcrib'
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(prefix))
    throw wrong('prefix in `bus` is 1 to 32 letters, digits, _ or -.')
  return {
    servers,
    shown: `${scheme}://${servers.join(',')}`,
    isTls: scheme === 'tls',
    ...(user === undefined
      ? {}
      : password === undefined
        ? { token: decodeURIComponent(user) }
        : { user: decodeURIComponent(user), password: decodeURIComponent(password) }),
    prefix,
    replicas: whole(settings, 'replicas', { usual: 1, least: 1, most: 5 }),
    maxWork: whole(settings, 'maxWork', { usual: 1_000_000, least: 1, most: 100_000_000 }),
  }
}

function whole(
  settings: URLSearchParams,
  name: string,
  { usual, least, most }: { readonly usual: number; readonly least: number; readonly most: number },
): number {
  const value = Number(settings.get(name) ?? usual)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw wrong(`${name} in \`bus\` is a whole number from ${least} to ${most}.`)
}

function wrong(message: string): ToolError {
  return storeFault('BUS_ADDRESS', message, {
    hint: 'Write bus: nats://user:password@host:4222, with %-encoding for special characters.',
  })
}

/** A failure of the bus in words. */
export function busError(error: unknown, where: string): ToolError {
  const { name = '', message = String(error) } = error as { name?: string; message?: string }
  const make = (code: ErrorCode, text: string, hint: string): ToolError =>
    storeFault(code, text, { hint, cause: error })
  if (/Authorization|authorization|Authentication|Permission/.test(`${name} ${message}`))
    return make(
      'BUS_DENIED',
      `NATS at ${where} refused the user or the password.`,
      'Check the user and the password in `bus`, and that the user may use JetStream.',
    )
  if (/JetStreamNotEnabled|jetstream.*not enabled|503/i.test(`${name} ${message}`))
    return make(
      'BUS_NO_JETSTREAM',
      `NATS at ${where} runs without JetStream.`,
      'Start it with -js, or enable jetstream in its configuration.',
    )
  return make(
    'BUS_UNREACHABLE',
    `NATS at ${where} does not answer (${message}).`,
    'Check that the server runs and that the address in `bus` is right. Nodes go on by themselves when it is back.',
  )
}
