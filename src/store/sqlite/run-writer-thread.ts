// The thread that writes the run records of a busy crib: it has a connection of its own to the same file, so
// that hashing and inserting do not hold up calls. Built as a file of its own, for threads start from files.
import { parentPort, workerData } from 'node:worker_threads'
import type { ErrorCode } from '../../tool/error-codes.ts'
import { isToolError } from '../../tool/tool-error.ts'
import type { RunRow } from '../run-record.ts'
import { appendRuns } from './append-runs.ts'
import { Database } from './database.ts'

/** What became of the rows that came with the same number. */
export interface Written {
  readonly id: number
  readonly fault?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string }
}

const db = new Database((workerData as { readonly file: string }).file)
const port = parentPort!

port.on('message', async ({ id, rows }: { readonly id: number; readonly rows: readonly RunRow[] }) => {
  port.postMessage({ id, ...(await faultOf(rows)) } satisfies Written)
})

async function faultOf(rows: readonly RunRow[]): Promise<Pick<Written, 'fault'>> {
  try {
    await appendRuns(db, rows)
    return {}
  } catch (error) {
    const { message } = error as Error
    if (!isToolError(error)) return { fault: { code: 'STORE_IO', message } }
    const { code, hint } = error
    return { fault: { code, message, hint } }
  }
}
