// Something that only one node may do at a time and every node wants done: it waits for its turn.
import { isDeadNode, newNode } from '../config/node-identity.ts'
import type { CrumbStore } from './store.ts'

const lookMs = 100

export async function underLease(store: CrumbStore, name: string, work: () => Promise<void>): Promise<void> {
  const node = newNode()
  const take = (): Promise<boolean> => store.leases.acquire(name, node, store.lease.ms)
  while (!(await take())) {
    await store.leases.bury(isDeadNode)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
  const renew = setInterval(() => void take().catch(() => {}), store.lease.renewMs)
  try {
    await work()
  } finally {
    clearInterval(renew)
    await store.leases.release(name, node)
  }
}
