// Problems of files and settings that belong to no tool; folded away when there are many.
import type { Problem } from '../../api/types.ts'
import { ProblemList } from '../../parts/problem-list.tsx'

export function FileProblems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null
  const errors = problems.filter((problem) => problem.severity === 'error').length
  return (
    <details class="card file-problems" open={problems.length <= 3}>
      <summary>
        {problems.length} {problems.length === 1 ? 'problem' : 'problems'} in files and settings
        {errors > 0 && `, ${errors} of them ${errors === 1 ? 'an error' : 'errors'}`}
      </summary>
      <div class="body">
        <ProblemList problems={problems} />
      </div>
    </details>
  )
}
