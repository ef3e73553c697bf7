// The author's loop beside a running server: a saved file is checked, its problems shown with the lines around them,
// and the examples of the tools it concerns are run.
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import type { Crib } from '../../crib/crib.ts'
import { affectedTools } from '../examples/affected-tools.ts'
import { runExamples } from '../examples/run-examples.ts'
import { codeFrame } from './code-frame.ts'
import { exampleResultLines } from './example-result-lines.ts'
import { problemLines } from './print-problems.ts'
import type { Session } from './session.ts'
import { noteStyle } from './style.ts'

/** Follows saves until the crib is closed. `log` takes events for `--json`. */
export function followSaves(session: Session, crib: Crib, log: (event: object) => void): void {
  let running: Promise<void> = Promise.resolve()
  crib.on('files-changed', (paths) => {
    const readyMs = sinceSave(paths)
    running = running
      .then(() => afterSave(session, crib, { paths, readyMs, log }))
      .catch((error) => {
        session.note(`${noteStyle.red('error')}: ${(error as Error).message}`)
      })
  })
}

async function afterSave(
  session: Session,
  crib: Crib,
  {
    paths,
    readyMs,
    log,
  }: {
    readonly paths: readonly string[]
    readonly readyMs: number | undefined
    readonly log: (event: object) => void
  },
): Promise<void> {
  const tools = affectedTools(crib, paths)
  const { problems } = await crib.check({ strict: session.strict, paths: [...paths] })
  const files = paths.map((path) => relative(crib.root, path) || path)
  const ids = tools.map((tool) => tool.id)
  log({ event: 'saved', files, tools: ids, problems, readyMs })
  if (session.json) {
    const report = await runExamples(crib, tools, { principal: session.principal, signal: session.signal })
    if (report.results.length > 0) log({ event: 'tested', ...report })
    return
  }
  const what = ids.length > 0 ? ids.join(', ') : 'no tool'
  const time = readyMs === undefined ? '' : noteStyle.dim(` (${readyMs} ms after the save)`)
  session.note(`${noteStyle.dim(new Date().toTimeString().slice(0, 8))} ${files.join(', ')} → ${what}${time}`)
  for (const problem of problems) {
    const [head, ...rest] = problemLines([problem])
    session.note([head, ...codeFrame(problem), ...rest].join('\n'))
  }
  if (problems.some((problem) => problem.severity === 'error')) return
  await runExamples(crib, tools, {
    principal: session.principal,
    signal: session.signal,
    onResult: (result) => session.note(exampleResultLines(result, noteStyle).join('\n')),
  })
}

/** Milliseconds since the youngest of the files was written; undefined when all are gone. */
function sinceSave(paths: readonly string[]): number | undefined {
  const times = paths.flatMap((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? [])
  return times.length === 0 ? undefined : Math.max(0, Math.round(Date.now() - Math.max(...times)))
}
