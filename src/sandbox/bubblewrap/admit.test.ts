import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { mountsOf } from '../mount-table.ts'
import { ExpectedMounts } from '../verify-mounts.ts'
import { admit, infoFd } from './admit.ts'

/** What is said to bubblewrap when it names this child. */
async function leaveFor(info: string): Promise<{ readonly fault: unknown; readonly said: string }> {
  const [told, leave] = [new PassThrough(), new PassThrough()]
  told.end(info)
  const fault = await admit((fd) => (fd === infoFd ? told : leave), new ExpectedMounts([], mountsOf('self')))
  return { fault, said: String(leave.read() ?? '') + (leave.writableEnded ? ' ended' : '') }
}

it.each(['{ "child-pid": 2147483646 }', '{ }', ''])(
  'gives no leave to a child whose mounts nobody has seen (%s)',
  async (info) => {
    verifies('G10')
    expect(await leaveFor(info)).toEqual({ fault: undefined, said: '' })
  },
)
