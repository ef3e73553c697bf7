// The subscriptions of one connection to resources of its server: one for each address, however many clients listen.
import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'

export interface ResourceListener {
  /** The resource changed, or one below it, whose address is given. */
  onUpdated(uri: string): void
  /** The server tells nothing any more. */
  onLost(): void
}

interface Subscription {
  readonly listeners: Set<ResourceListener>
  readonly opened: Promise<() => Promise<unknown>>
}

const answerMs = 30_000
/** Addresses that one connection follows (G22). */
const maxAddresses = 1_000

export class UpstreamSubscriptions {
  readonly #byUri = new Map<string, Subscription>()

  get isEmpty(): boolean {
    return this.#byUri.size === 0
  }

  /** Resolves when the server has agreed; gives back how to stop. */
  async add(client: Client, uri: string, listener: ResourceListener): Promise<() => void> {
    let subscription = this.#byUri.get(uri)
    if (!subscription) {
      if (this.#byUri.size >= maxAddresses)
        throw refused(`More than ${maxAddresses} resources of its server are followed already.`)
      subscription = { listeners: new Set(), opened: this.#subscribe(client, uri) }
      this.#byUri.set(uri, subscription)
    }
    const { listeners, opened } = subscription
    listeners.add(listener)
    const leave = () => {
      listeners.delete(listener)
      if (listeners.size > 0 || this.#byUri.get(uri) !== subscription) return
      this.#byUri.delete(uri)
      opened.then((end) => end()).catch(() => {})
    }
    try {
      await opened
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  /** The server says that a resource changed. */
  tell(uri: string): void {
    for (const [subscribed, { listeners }] of this.#byUri)
      if (isAtOrBelow(uri, subscribed)) for (const { onUpdated } of [...listeners]) onUpdated(uri)
  }

  /** The connection is over, or the stream of one address. */
  lose(only?: string): void {
    for (const [uri, { listeners }] of [...this.#byUri]) {
      if (only !== undefined && uri !== only) continue
      this.#byUri.delete(uri)
      for (const { onLost } of [...listeners]) onLost()
    }
  }

  async #subscribe(client: Client, uri: string): Promise<() => Promise<unknown>> {
    if (!client.getServerCapabilities()?.resources?.subscribe) throw silent()
    const options = { timeout: answerMs }
    if (client.getProtocolEra() !== 'modern') {
      await client.subscribeResource({ uri }, options)
      return () => client.unsubscribeResource({ uri }, options)
    }
    const stream = await client.listen({ resourceSubscriptions: [uri] }, options)
    if (!stream.honoredFilter.resourceSubscriptions?.includes(uri)) {
      await stream.close()
      throw silent()
    }
    void stream.closed.then((why) => why !== 'local' && this.lose(uri))
    return () => stream.close()
  }
}

function silent(): ProtocolError {
  return refused('The server of this resource does not tell when it changes; read it again when you need it.')
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
}

function isAtOrBelow(uri: string, subscribed: string): boolean {
  if (uri === subscribed) return true
  return uri.startsWith(subscribed) && (/[/?#]$/.test(subscribed) || /[/?#]/.test(uri[subscribed.length]!))
}
