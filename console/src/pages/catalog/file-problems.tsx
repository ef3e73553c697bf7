// Problems of files and settings that belong to no tool; folded away when there are many.
import type { Problem } from '../../api/types.ts'
import { ProblemList } from '../../parts/problem-list.tsx'
import { sayMany } from '../../words/say.ts'

export function FileProblems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null
  const errors = problems.filter((problem) => problem.severity === 'error').length
  return (
    <details class="card file-problems" open={problems.length <= 3}>
      <summary>
        {sayMany(problems.length, '{n} problem in files and settings', '{n} problems in files and settings')}
        {errors > 0 && ` ${sayMany(errors, '({n} error)', '({n} errors)')}`}
      </summary>
      <div class="body">
        <ProblemList problems={problems} />
      </div>
    </details>
  )
}
