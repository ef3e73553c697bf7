// Where the crib's own token is kept.
import { join } from 'node:path'
import type { Spaces } from '../../config/spaces.ts'

export function tokenFile({ state }: Pick<Spaces, 'state'>): string {
  return join(state, 'token')
}
