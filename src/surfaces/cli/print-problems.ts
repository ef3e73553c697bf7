// Problems as people read them: place first, then what is wrong, then what to do.
import { dirname, relative } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { type Problem, placeOf } from '../../tool/problem.ts'
import { noteStyle, plain } from './style.ts'

/** One or two lines per problem, paths relative to the current folder. */
export function problemLines(problems: readonly Problem[], style = noteStyle): string[] {
  return problems.flatMap((problem) => {
    const colour =
      problem.severity === 'error' ? style.red : problem.severity === 'warning' ? style.yellow : style.blue
    const place = placeOf({ ...problem, ...(problem.file ? { file: shortPath(problem.file) } : {}) })
    const head = `${place ? `${style.bold(plain(place))}: ` : ''}${colour(problem.severity)} ${problem.code}: ${plain(problem.message)}`
    return problem.hint ? [head, `  ${style.dim(plain(problem.hint))}`] : [head]
  })
}

/** `2 errors, 1 warning` */
export function countProblems(problems: readonly Problem[]): string {
  const parts = (['error', 'warning', 'info'] as const).map((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length
    return count === 0 ? '' : `${count} ${severity === 'info' ? 'note' : severity}${count === 1 ? '' : 's'}`
  })
  return parts.filter(Boolean).join(', ') || 'no problems'
}

function shortPath(file: string): string {
  // One folder up is still easy to read.
  const isNear = isInside(file, dirname(process.cwd()))
  return (isNear && relative(process.cwd(), file)) || file
}
