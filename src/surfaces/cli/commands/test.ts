// `toolcrib test`: runs the tools' own examples; again on every save with --watch, and from a recorded call.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Crib } from '../../../crib/crib.ts'
import type { Tool } from '../../../tool/tool.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { affectedTools } from '../../examples/affected-tools.ts'
import { exampleFromRun } from '../../examples/example-from-run.ts'
import { junitXml } from '../../examples/junit.ts'
import { type ExampleReport, runExamples } from '../../examples/run-examples.ts'
import { addSidecarExample } from '../../examples/sidecar-examples.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { exampleResultLines } from '../example-result-lines.ts'
import type { Session } from '../session.ts'
import { noteStyle } from '../style.ts'

interface Options {
  readonly watch?: boolean
  readonly junit?: string
  readonly fromRun?: string
}

export const test: CliCommand = {
  examples: [
    ['toolcrib test', 'every example of the project and user tools'],
    ['toolcrib test calculator', 'those of one tool'],
    ['toolcrib test --watch', 'again for each tool whose file or examples are saved'],
    ['toolcrib test --junit report.xml', 'for a build server; exit 1 when any failed'],
    ['toolcrib test --from-run <id>', 'keep a recorded call as an example, then run it'],
  ],
  define(command) {
    command
      .argument('[ref...]', 'only these tools; default all of the crib')
      .option('--watch', 'stay, and test again what is saved')
      .option('--junit <file>', 'write the results as JUnit XML too')
      .option('--from-run <id>', 'turn a recorded run into an example of its tool')
  },
  async run(session, refs, options: Options) {
    const crib = await session.open()
    await crib.discover()
    if (options.fromRun !== undefined) {
      if (refs.length > 0 || options.watch)
        throw new UsageError('--from-run names the tool itself; leave tools and --watch away.')
      refs = [await keepRun(session, crib, options.fromRun)]
    }
    const report = await testOnce(session, crib, chosen(crib, refs))
    if (options.junit !== undefined) writeFileSync(resolve(options.junit), junitXml(report))
    if (session.json) session.outJson(report)
    if (!options.watch) return report.failed > 0 ? 1 : 0
    return follow(session, crib, refs, options)
  },
}

function chosen(crib: Crib, refs: readonly string[]): Tool[] {
  if (refs.length > 0) return refs.map((ref) => crib.find(ref))
  return crib
    .list({ all: true })
    .filter((tool) => tool.tier !== 'system' && tool.kind === 'callable' && tool.state !== 'shadowed')
}

async function testOnce(session: Session, crib: Crib, tools: readonly Tool[]): Promise<ExampleReport> {
  const report = await runExamples(crib, tools, {
    principal: session.principal,
    signal: session.signal,
    strict: session.strict,
    onResult: (result) => {
      if (!session.json) for (const line of exampleResultLines(result)) session.out(line)
    },
  })
  if (!session.json)
    session.note(
      report.results.length === 0
        ? 'No examples. Add them to a tool, or to a file <tool>.examples.yaml beside it.'
        : `${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`,
    )
  return report
}

/** Tests again what is saved, until interrupted. */
async function follow(
  session: Session,
  crib: Crib,
  refs: readonly string[],
  { junit }: Options,
): Promise<number> {
  let running: Promise<void> = Promise.resolve()
  crib.on('files-changed', (paths) => {
    running = running
      .then(async () => {
        const wanted = new Set(refs)
        const tools = affectedTools(crib, paths).filter((tool) => wanted.size === 0 || wanted.has(tool.id))
        if (tools.length === 0) return
        if (!session.json) session.note('')
        const report = await testOnce(session, crib, tools)
        if (session.json) session.out(JSON.stringify(report))
        if (junit !== undefined) writeFileSync(resolve(junit), junitXml(report))
      })
      .catch((error: Error) => session.note(`${noteStyle.red('error')}: ${error.message}`))
  })
  await crib.watch()
  session.note('Watching for saved files; Ctrl-C ends it.')
  await new Promise<void>((done) => {
    if (session.signal.aborted) done()
    else session.signal.addEventListener('abort', () => done(), { once: true })
  })
  await running
  return 0
}

/** Keeps a recorded call as an example of its tool; gives back the tool's id. */
async function keepRun(session: Session, crib: Crib, runId: string): Promise<string> {
  const run = await crib.crumbs.runs.find(runId)
  if (!run)
    throw new ToolError('RUN_NOT_FOUND', `There is no run "${runId}" in ${crib.config.store}.`, {
      hint: 'See `toolcrib runs` for the recorded ones.',
    })
  const tool = crib.find(run.tool)
  const isShared = tool.source.file !== null && crib.catalog.inFile(tool.source.file).length > 1
  const file = addSidecarExample(tool, exampleFromRun(run), isShared)
  session.note(`Run ${runId} is now an example of ${tool.id}: ${file}`)
  return tool.id
}
