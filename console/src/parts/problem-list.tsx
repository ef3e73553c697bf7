// What is wrong with definitions: message, place and what to do.
import type { Problem } from '../api/types.ts'
import { Badge } from './badge.tsx'

export function ProblemList({ problems }: { problems: readonly Problem[] }) {
  return (
    <ul class="stack tight">
      {problems.map((problem, index) => (
        <li
          key={index}
          class="callout"
          data-tone={problem.severity === 'error' ? 'bad' : problem.severity === 'warning' ? 'warn' : 'info'}
        >
          <div class="row wrap">
            <Badge
              tone={problem.severity === 'error' ? 'bad' : problem.severity === 'warning' ? 'warn' : 'info'}
            >
              {problem.severity}
            </Badge>
            <span class="grow">{problem.message}</span>
          </div>
          {problem.hint && <span>{problem.hint}</span>}
          <span class="row wrap">
            <code>{problem.code}</code>
            {problem.file && <code>{placeOf(problem)}</code>}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** `file:line:column`, as editors understand it. */
export function placeOf({ file = '', line, column }: Pick<Problem, 'file' | 'line' | 'column'>): string {
  return [file, line, column].filter((part) => part !== undefined && part !== '').join(':')
}
