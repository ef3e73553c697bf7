// NATS JetStream as the bus: requests are pulled from a work-queue stream and acknowledged after their response is
// stored; commits are announced to every node. While NATS is away, nodes take work from the store itself.

import { setTimeout as delay } from 'node:timers/promises'
import type { Consumer, ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { defined } from '../../tool/defined.ts'
import type { Notify } from '../../tool/notify.ts'
import { type Bus, type BusStats, StoreBus, type Work, type WorkWish } from '../bus.ts'
import type { PostgresStore } from '../postgres/postgres-store.ts'
import { busError, type NatsAddress, parseNatsAddress } from './nats-address.ts'
import { Relay } from './relay.ts'
import { ensureStreams, type StreamNames, streamNames } from './streams.ts'

/** Pulls that wait at once; what becomes free meanwhile is asked for together. */
const maxPulls = 2
/** How long one pull waits on the server. */
const pullMs = 5_000
/** A message that could not be looked at is offered again after this. */
const againMs = 1_000
const redeliverMs = 10_000

export async function openNatsBus(
  url: string,
  store: PostgresStore,
  log: Notify = () => {},
): Promise<NatsBus> {
  const address = parseNatsAddress(url)
  const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ])
  let connection: NatsConnection | undefined
  try {
    connection = await connect(
      defined({
        servers: [...address.servers],
        name: 'toolcrib',
        // What this node writes it knows before NATS does.
        noEcho: true,
        timeout: 5_000,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        pingInterval: 5_000,
        tls: address.isTls ? {} : undefined,
        ...(address.user === undefined ? {} : { user: address.user, pass: address.password ?? '' }),
        token: address.token,
      }),
    )
    const manager = await jetstreamManager(connection)
    await ensureStreams(manager, address, redeliverMs)
    return new NatsBus(address, connection, manager, jetstream(connection), store, log)
  } catch (error) {
    await connection?.close()
    throw busError(error, address.shown)
  }
}

export class NatsBus implements Bus {
  readonly kind = 'nats'
  readonly #address: NatsAddress
  readonly #connection: NatsConnection
  readonly #manager: JetStreamManager
  readonly #js: JetStreamClient
  readonly #store: PostgresStore
  readonly #fallback: StoreBus
  readonly #log: Notify
  readonly #names: StreamNames
  readonly #relay: Relay
  readonly #ready: Work[] = []
  readonly #acks: JsMsg[] = []
  readonly #held = new Map<string, JsMsg>()
  readonly #listeners = new Set<() => void>()
  readonly #beat: NodeJS.Timeout
  #consumer: Consumer | null = null
  readonly #pulls = new Map<Pull, Promise<void>>()
  #isAway = false
  #isClosed = false
  /** Schemas announced since the feed was last rung, undefined for one that is not known; null: none. */
  #announced: Set<string | null | undefined> | null = null
  #redeliveries = 0
  #node = ''

  constructor(
    address: NatsAddress,
    connection: NatsConnection,
    manager: JetStreamManager,
    js: JetStreamClient,
    store: PostgresStore,
    log: Notify,
  ) {
    this.#address = address
    this.#connection = connection
    this.#manager = manager
    this.#js = js
    this.#store = store
    this.#fallback = new StoreBus(store)
    this.#log = log
    this.#names = streamNames(address.prefix)
    this.#relay = new Relay({ js, manager, names: this.#names, store, log, isAway: () => this.#isAway })
    this.#beat = setInterval(() => this.#keep(), store.lease.renewMs)
    this.#beat.unref()
    connection.subscribe(this.#names.allEvents, { callback: (_, message) => this.#hear(message.data) })
    void this.#follow()
  }

  /** Where it is connected to, for people. */
  get where(): string {
    return this.#address.shown
  }

  async next(wish: WorkWish): Promise<Work | null> {
    this.#node = wish.node
    const ready = this.#ready.shift()
    if (ready || this.#isClosed) return ready ?? null
    if (this.#isAway) return this.#fallback.next(wish)
    // Never more than the node can run: what was asked for and has not come counts.
    let coming = 0
    for (const { left } of this.#pulls.keys()) coming += left
    if (this.#pulls.size < maxPulls && wish.free > coming) {
      const pull: Pull = { left: wish.free - coming, messages: null }
      const work = this.#pull(pull, wish).finally(() => {
        this.#pulls.delete(pull)
        if (!this.#isClosed) this.#ringWork()
      })
      this.#pulls.set(pull, work)
    }
    return null
  }

  onWork(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** JetStream delivers when the time has come; without it the store must be asked. */
  async nextDueMs(): Promise<number | null> {
    return this.#isAway ? this.#fallback.nextDueMs() : null
  }

  async stats(): Promise<BusStats> {
    try {
      const consumer = await this.#manager.consumers.info(this.#names.work, this.#names.consumer)
      const dead = await this.#manager.streams.info(this.#names.dead)
      return {
        depth: consumer.num_pending,
        inFlight: consumer.num_ack_pending,
        redeliveries: this.#redeliveries,
        deadLetters: dead.state.messages,
      }
    } catch (error) {
      throw busError(error, this.where)
    }
  }

  async check(): Promise<void> {
    if (this.#isAway) throw busError(new Error('the connection is lost'), this.where)
    try {
      await this.#connection.rtt()
    } catch (error) {
      throw busError(error, this.where)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#beat)
    await this.#relay.close()
    await this.#endPulls()
    await Promise.all(this.#pulls.values())
    // Claimed and not begun: another node shall not wait for the claim to run out.
    for (const { claimed } of this.#ready.splice(0)) {
      await this.#store.requests
        .release(claimed.crumb.id, this.#node, this.#store.clock.now())
        .catch(() => {})
      this.#held.get(claimed.crumb.id)?.nak()
    }
    this.#ackAll()
    // Acknowledgements leave first, when there is somebody to take them.
    if (!this.#isAway) await Promise.race([this.#connection.flush().catch(() => {}), delay(againMs)])
    await this.#connection.close()
  }

  async #endPulls(): Promise<void> {
    await Promise.all([...this.#pulls.keys()].map(({ messages }) => messages?.close()))
  }

  async #pull(pull: Pull, wish: WorkWish): Promise<void> {
    let guard: NodeJS.Timeout | undefined
    try {
      this.#consumer ??= await this.#js.consumers.get(this.#names.work, this.#names.consumer)
      const messages = await this.#consumer.fetch({ max_messages: pull.left, expires: pullMs })
      pull.messages = messages
      if (this.#isClosed) messages.close().catch(() => {})
      // A pull whose connection died may never end by itself.
      guard = setTimeout(() => messages.close().catch(() => {}), pullMs + againMs)
      const received: Promise<void>[] = []
      for await (const message of messages)
        received.push(
          this.#receive(message, wish).finally(() => {
            // Until it is claimed or given back it has a place here.
            pull.left--
          }),
        )
      await Promise.all(received)
    } catch (error) {
      this.#consumer = null
      if (this.#isClosed) return
      this.#log('warn', busError(error, this.where).message)
      await new Promise((resolve) => setTimeout(resolve, againMs))
      // Perhaps the server came back with nothing in it.
      await ensureStreams(this.#manager, this.#address, redeliverMs).catch(() => {})
    } finally {
      clearTimeout(guard)
    }
  }

  async #receive(message: JsMsg, wish: WorkWish): Promise<void> {
    if (message.redelivered) this.#redeliveries++
    const id = message.data.length <= 64 ? message.string() : ''
    if (this.#held.has(id)) {
      // Sent again although it is being worked on here: the newer handle is the one that counts.
      this.#held.set(id, message)
      return
    }
    // Whatever fails is told here: nobody waits for one message while others of the pull may come.
    try {
      if (!/^[0-9a-f-]{36}$/.test(id)) return await this.#putAside(message, 'it names no request')
      const taken = await this.#store.requests.take(id, wish.node, wish.leaseMs, wish.limits)
      if (taken.state === 'done') message.ack()
      else if (taken.state === 'unknown') await this.#putAside(message, 'there is no such request')
      else if (taken.state === 'later') message.nak(Math.max(20, taken.atMs - this.#store.clock.now()))
      else {
        this.#held.set(id, message)
        this.#ready.push(this.#workOf(id, taken.claimed))
        this.#ringWork()
      }
    } catch (error) {
      this.#log('warn', `Request ${id} is taken later: ${(error as Error).message}`)
      if (!this.#connection.isClosed()) message.nak(againMs)
    }
  }

  #workOf(id: string, claimed: Work['claimed']): Work {
    const end = (settle: (message: JsMsg) => void) => async (): Promise<void> => {
      const message = this.#held.get(id)
      this.#held.delete(id)
      if (message) settle(message)
    }
    return {
      claimed,
      done: end((message) => this.#ackSoon(message)),
      later: (atMs) => end((message) => message.nak(Math.max(20, atMs - this.#store.clock.now())))(),
    }
  }

  /** Acknowledgements of one turn leave in one packet. */
  #ackSoon(message: JsMsg): void {
    this.#acks.push(message)
    if (this.#acks.length === 1) setImmediate(() => this.#ackAll())
  }

  #ackAll(): void {
    for (const message of this.#acks.splice(0)) message.ack()
  }

  /** A message nobody can use goes to the dead letters, with the reason; it must not come back for ever. */
  async #putAside(message: JsMsg, reason: string): Promise<void> {
    await this.#js.publish(
      this.#names.deadSubject,
      JSON.stringify({ reason, subject: message.subject, data: message.string().slice(0, 10_000) }),
      {
        msgID: `d${message.seq}`,
      },
    )
    message.term(reason)
    this.#log('warn', `A message on ${message.subject} was put aside: ${reason}.`)
  }

  #keep(): void {
    if (!this.#connection.isClosed()) for (const message of this.#held.values()) message.working()
    if (!this.#isAway) return
    this.#store.wakeUps.ring()
    this.#ringWork()
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') {
        this.#isAway = true
        this.#log(
          'warn',
          `The connection to NATS at ${this.where} is lost; work is taken from the store meanwhile.`,
        )
      }
      if (type !== 'reconnect') continue
      this.#isAway = false
      this.#log('info', `Connected to NATS at ${this.where} again.`)
      this.#consumer = null
      this.#endPulls().catch(() => {})
      await ensureStreams(this.#manager, this.#address, redeliverMs).catch(() => {})
      this.#store.wakeUps.ring()
      this.#ringWork()
    }
  }

  /** Another node wrote. Many announcements at once are one reason to look. */
  #hear(data: Uint8Array): void {
    const heard = heardSchemas(data)
    if (this.#announced) {
      for (const schema of heard) this.#announced.add(schema)
      return
    }
    const announced = new Set(heard)
    this.#announced = announced
    setImmediate(() => {
      this.#announced = null
      this.#store.wakeUps.ring(announced.has(undefined) ? undefined : (announced as Set<string | null>))
    })
  }

  #ringWork(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** One pull that waits on the server. */
interface Pull {
  /** Messages it may still bring. */
  left: number
  messages: ConsumerMessages | null
}

/** The schemas an announcement is about, the one a crumb has left among them; undefined when it does not say. */
function heardSchemas(data: Uint8Array): readonly (string | null | undefined)[] {
  try {
    const { schema, former } = JSON.parse(Buffer.from(data).toString()) as {
      schema?: unknown
      former?: unknown
    }
    const isTold = typeof schema === 'string' || schema === null
    return [isTold ? schema : undefined, ...(typeof former === 'string' ? [former] : [])]
  } catch {
    return [undefined]
  }
}
