// The guards, one line each. Inside a phase they run in this order.
import type { Guard } from '../kernel/pipeline.ts'
import { allowedTools } from './allowed-tools.ts'
import { approve } from './approve.ts'
import { config } from './config.ts'
import { delegate } from './delegate.ts'
import { execute } from './execute.ts'
import { fleetPlace } from './fleet-place.ts'
import { grants } from './grants.ts'
import { limits } from './limits.ts'
import { lock } from './lock.ts'
import { params } from './params.ts'
import { ready } from './ready.ts'
import { retry } from './retry.ts'
import { returns } from './returns.ts'
import { secrets } from './secrets.ts'
import type { GuardServices } from './services.ts'
import { trace } from './trace.ts'
import { trust } from './trust.ts'

export function standardGuards(services: GuardServices): Guard[] {
  return [
    trace(services),
    ready(services),
    trust(services),
    lock(services),
    grants(services),
    allowedTools(),
    params(services),
    config(services),
    secrets(services),
    approve(services),
    limits(services),
    fleetPlace(services),
    retry(),
    returns(services),
    delegate(services.runRef),
    execute(services),
  ]
}
