// What waits for a person, shared by Home, the rail and the inbox.
import { useEffect } from 'preact/hooks'
import type { InboxItem } from '../../api/types.ts'
import { isAdmin, otherWaiting } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'

export function useInbox() {
  const { data, error, reload } = useQuery<{ items: readonly InboxItem[] }>(
    isAdmin.value ? '/api/console/inbox' : null,
    ['approvals', 'catalog', 'runs', 'settings'],
  )
  const others = data?.items.filter(({ kind }) => kind !== 'approval').length
  useEffect(() => {
    if (others !== undefined) otherWaiting.value = others
  }, [others])
  return { items: data?.items ?? null, error, reload }
}
