// What the user demands of every crib, a crib's own file cannot take back: it may ask for more protection, not less.
import { isPlainObject } from '../tool/json.ts'

type Values = { readonly [key: string]: unknown }

const trustOrder = ['off', 'warn', 'require']
const sandboxOrder = ['off', 'preferred', 'required']

/** The project's values without those that would loosen `trust` or `sandbox` below what the user's file states. */
export function holdFloor(user: Values, project: Values): Values {
  const { trust, sandbox, ...rest } = project
  const mode = modeOf(sandbox)
  const isLooser = isBelow(mode, modeOf(user['sandbox']), sandboxOrder)
  const kept =
    isLooser && isPlainObject(sandbox) ? { ...sandbox, mode: undefined } : isLooser ? undefined : sandbox
  return {
    ...rest,
    ...(trust === undefined || isBelow(trust, user['trust'], trustOrder) ? {} : { trust }),
    ...(kept === undefined ? {} : { sandbox: kept }),
  }
}

function modeOf(sandbox: unknown): unknown {
  return isPlainObject(sandbox) ? sandbox['mode'] : sandbox
}

function isBelow(asked: unknown, floor: unknown, order: readonly string[]): boolean {
  const [one, other] = [order.indexOf(asked as string), order.indexOf(floor as string)]
  return one >= 0 && other >= 0 && one < other
}
