// Responses that stay open for as long as their client likes: how many of them one token may have (G22), and for how long
// its rights let it (G16).
import { identityOf, type Principal } from '../../tool/principal.ts'
import { HttpProblem } from './problem-json.ts'

const maxInAll = 4_096
/** One token must leave some to the others. */
const maxOfToken = 1_024
/** How often somebody looks whether the token is still good. */
const lookMs = 2_000

export class LongStreams {
  readonly #openOf = new Map<string, number>()
  #open = 0

  /** The response, counted until it ends; it ends when `isStillGood` says no. Throws TOO_MANY_OPEN where there are too many. */
  hold(response: Response, principal: Principal, isStillGood: () => boolean | Promise<boolean>): Response {
    const owner = identityOf(principal)
    const own = this.#openOf.get(owner) ?? 0
    if (own >= maxOfToken || this.#open >= maxInAll) {
      void response.body!.cancel().catch(() => {})
      const whose = own >= maxOfToken ? `${maxOfToken} streams of this token` : `${maxInAll} streams`
      throw new HttpProblem('TOO_MANY_OPEN', `${whose} are open already.`, {
        hint: 'Close one, or share one stream between readers.',
        headers: { 'retry-after': '15' },
      })
    }
    this.#open++
    this.#openOf.set(owner, own + 1)
    const reader = response.body!.getReader()
    let timer: NodeJS.Timeout | undefined
    const end = () => {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      this.#open--
      const left = this.#openOf.get(owner)! - 1
      if (left > 0) this.#openOf.set(owner, left)
      else this.#openOf.delete(owner)
    }
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        timer = setInterval(async () => {
          const isGood = await Promise.resolve(isStillGood()).catch(() => true)
          if (isGood || timer === undefined) return
          end()
          controller.close()
          await reader.cancel().catch(() => {})
        }, lookMs).unref()
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (timer === undefined) return
          if (!done) return controller.enqueue(value)
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel(reason) {
        end()
        return reader.cancel(reason)
      },
    })
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

const listening = new WeakSet<Response>()

/** Says of an answer that it goes on until its client leaves. */
export function asLong(response: Response): Response {
  listening.add(response)
  return response
}

/** Whether a response goes on until its client leaves. */
export function isLong(response: Response, method: string): boolean {
  const isStream = response.body !== null && /event-stream/.test(response.headers.get('content-type') ?? '')
  return isStream && (method === 'GET' || listening.has(response))
}
