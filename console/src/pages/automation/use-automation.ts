// What started, what is scheduled, who listens: one answer for the tabs that show parts of it.
import type { Automation } from '../../api/types.ts'
import { useQuery } from '../../state/query.ts'

export function useAutomation() {
  return useQuery<Automation>('/api/automation', ['events', 'runs', 'catalog'])
}
