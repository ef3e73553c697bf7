// Which log messages a server of the older era is asked for: one level for its whole connection, the lowest that any call
// wanted so far.
import type { Client } from '@modelcontextprotocol/client'
import { isAtLeast } from './foreign-log.ts'
import { anyResult } from './raw-result.ts'

const answerMs = 30_000

export class WantedLogs {
  #level: string | undefined

  async want(client: Client, level: string): Promise<void> {
    if (!client.getServerCapabilities()?.logging) return
    if (this.#level !== undefined && isAtLeast(level, this.#level)) return
    this.#level = level
    const request = { method: 'logging/setLevel', params: { level } } as const
    await client.request(request, anyResult, { timeout: answerMs }).catch(() => {})
  }

  /** The connection is gone, and the next one was asked for nothing. */
  forget(): void {
    this.#level = undefined
  }
}
