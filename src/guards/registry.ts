// Checks and wrappers, one line each. Inside a stage they run in this order.
import type { Check, Wrapper } from '../kernel/stages.ts'
import { allowedTools } from './checks/allowed-tools.ts'
import { approve } from './checks/approve.ts'
import { config } from './checks/config.ts'
import { grants } from './checks/grants.ts'
import { halted } from './checks/halted.ts'
import { lock } from './checks/lock.ts'
import { params } from './checks/params.ts'
import { ready } from './checks/ready.ts'
import { secrets } from './checks/secrets.ts'
import { setAside } from './checks/set-aside.ts'
import { trust } from './checks/trust.ts'
import type { GuardServices } from './services.ts'
import { delegate } from './skills/delegate.ts'
import { effects } from './wrappers/effects.ts'
import { execute } from './wrappers/execute.ts'
import { fleetSlot } from './wrappers/fleet-slot.ts'
import { held } from './wrappers/held.ts'
import { limits } from './wrappers/limits.ts'
import { retry } from './wrappers/retry.ts'
import { returns } from './wrappers/returns.ts'
import { trace } from './wrappers/trace.ts'

export function standardParts(services: GuardServices): (Check | Wrapper)[] {
  const vouched = trust(services)
  const pinned = lock(services)
  return [
    trace(services),
    held(services),
    halted(services),
    ready(services),
    setAside(services),
    vouched,
    pinned,
    grants(services),
    allowedTools(),
    params(services),
    config(services),
    secrets(services),
    approve(services, [pinned, vouched]),
    limits(services),
    fleetSlot(services),
    retry(),
    returns(services),
    delegate(services),
    effects(services),
    execute(services),
  ]
}
