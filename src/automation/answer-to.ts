// What a request was answered with: the response that its own run wrote, as it wrote it. A tag or a schema name proves
// nothing, because others write those too.
import type { Crumb } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'

export async function answerTo(store: CrumbStore, requestId: string): Promise<Crumb | undefined> {
  const id = await store.requests.responseTo(requestId)
  // Oldest last: what somebody made of it afterwards is not the answer.
  return id === null ? undefined : (await store.crumbs.history(id)).at(-1)
}
