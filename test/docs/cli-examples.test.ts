// Every example of `toolcrib <command> --help`, which are also those of docs/cli.md, is run in a copy of the examples
// crib, one after the other, as a reader might try them.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/surfaces/cli/registry.ts'
import { has } from '../helpers/system-parts.ts'
import { freePort } from './free-port.ts'
import { repository } from './pages.ts'
import { readerEnv } from './reader-env.ts'

interface Expected {
  /** Why the line cannot be run here. */
  readonly notRun?: string
  /** Other than 0. */
  readonly exit?: number
  /** The command stays: it is interrupted once it has printed this. */
  readonly until?: RegExp
  readonly input?: string
}

const first = (command: string, path: string) =>
  `$(${command} --json | node -p "JSON.parse(fs.readFileSync(0))${path}")`

/** What `<id>` stands for in the examples of a command. */
const ids: { readonly [command: string]: string } = {
  test: first('toolcrib runs', '.runs[0].runId'),
  runs: first('toolcrib runs', '.runs[0].runId'),
  crumbs: first('toolcrib crumbs list --schema order.placed.v1', '[0].id'),
  schedules: first('toolcrib schedules', '.schedules[0].id'),
  requests: first('toolcrib requests', '.requests[0].id'),
  keys: first('toolcrib keys list', ".keys.find(key => key.owner === 'Ada').keyId"),
}

/** What a reader did before trying the examples of a command, or one of them. */
const before: { readonly [command: string]: string } = {
  sign: 'toolcrib keys new',
  add: `printf '%s\\n' 'import argparse' 'parser = argparse.ArgumentParser(description="Sum up a table")' 'parser.add_argument("table")' 'print(parser.parse_args().table)' > report.py`,
  'toolcrib add ./report.py --dry-run': 'rm .ai/tools/report.yaml',
  'toolcrib add petstore.yaml': 'cp apis/wikipedia.openapi.yaml petstore.yaml',
  'toolcrib add ./scripts': `mkdir scripts && echo 'echo one' > scripts/one.sh && echo 'echo two' > scripts/two.sh`,
  'toolcrib add ../superpowers': `mkdir -p ../superpowers/skills/plan && printf '%s\\n' --- 'name: plan' 'description: Plan it' --- 'Plan.' > ../superpowers/skills/plan/SKILL.md`,
  disconnect: 'toolcrib connect cursor --yes',
  keys: 'toolcrib keys export > ada.pem && rm -r ~/.ai',
  test: 'echo "audit: { params: full }" >> toolcrib.yaml',
  approve: 'toolcrib lock',
  'toolcrib approve text/count': 'echo "# changed" >> .ai/tools/text/count.py',
  'toolcrib approve text/count --yes': 'echo "# changed again" >> .ai/tools/text/count.py',
  runs: 'toolcrib run calculator --expression 1+1',
  new: 'mv .ai .kept && rm skills/word-count.skill.*',
  convert: 'rm -r .ai && mv .kept .ai',
  crumbs: `echo '{"schema_name":"note.v1","title":"A note"}' > note.json`,
  'toolcrib trust ./cloned': 'mkdir cloned',
  completion: 'mkdir -p ~/.zfunc',
  types: 'mkdir -p src',
  schedules: `toolcrib crumbs create --schema schedule.definition.v1 --title Hourly --context '{"interval":{"type":"minutely","every":30}}'`,
  requests: `toolcrib crumbs create --schema tool.request.v1 --title Sum --tag tool:request --tag workspace:tools --context '{"tool":"calculator","input":{"expression":"1+1"}}'`,
  mcp: 'mkdir -p ~/tools',
  'toolcrib grants accept 1': 'toolcrib run rye/web/fetch --url https://example.com || true',
}

/** What is known of a line by how it begins; the longest beginning counts. */
const expectations: { readonly [beginning: string]: Expected } = {
  'toolcrib serve': { until: /Toolcrib is ready/ },
  'toolcrib serve --port 0 --json': { until: /"event":"ready"/ },
  'toolcrib serve --stdio': {},
  'toolcrib serve --print-config': {},
  'toolcrib serve --store postgres': {
    notRun: 'needs PostgreSQL and NATS; test/fleet-faults.test.ts has them',
  },
  'toolcrib add https://example.com/openapi.json': {
    notRun: 'needs a host; test/e2e/add-api.test.ts has one',
  },
  'toolcrib store copy': { notRun: 'needs PostgreSQL; src/store/copy-store.test.ts has it' },
  'toolcrib approve .ai/': { notRun: 'no tool wrote that file here; test/e2e/set-aside.test.ts has one' },
  'toolcrib login': { notRun: 'needs an identity provider; test/e2e/login-cli.test.ts has one' },
  'toolcrib logout': { notRun: 'needs an identity provider; test/e2e/login-cli.test.ts has one' },
  'toolcrib agent': { exit: 7 }, // no model is configured here; test/agent-cli.test.ts has one
  'toolcrib test --watch': { until: /Watching for saved files/ },
  'toolcrib crumbs watch': { until: /Watching/, exit: 130 },
  'toolcrib run': { exit: 7 }, // the main skill needs a model
  'toolcrib run ': {},
  'toolcrib runs': {},
  'toolcrib check --spec': { exit: 4 }, // the skills of this crib have metadata that only Toolcrib reads
  'toolcrib verify': { exit: 5 }, // few are signed
  'toolcrib verify text/count': {},
  'pass show': { notRun: 'pass is a program of the reader' },
  'toolcrib secrets set': { input: 'value' },
  'toolcrib new': { exit: 2 }, // without a terminal it does not ask
  'toolcrib new ': {},
  'toolcrib learn notes_list --open': { exit: 2 }, // without a terminal nothing is opened
  'toolcrib completion fish': { notRun: 'source of fish' },
}

const home = mkdtempSync(join(tmpdir(), 'toolcrib-cli-docs-'))
const crib = join(home, 'crib')
const env = { ...readerEnv(home), TOOLCRIB_PORT: String(await freePort()) }

const lines = await Promise.all(
  commands.map(async ({ name, load }) => ({ name, examples: (await load()).examples.map(([line]) => line) })),
)

describe.skipIf(!has('python3') || !has('git'))('the examples of', () => {
  beforeAll(() => {
    mkdirSync(crib)
    cpSync(join(repository, 'examples'), crib, {
      recursive: true,
      filter: (path) => !path.includes('/.toolcrib'),
    })
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  it.each(lines)(
    '$name do what they say',
    async ({ name, examples }) => {
      const faults: object[] = []
      const prepare = async (key: string) => {
        if (before[key] !== undefined) expect(await shell(before[key], {})).toMatchObject({ code: 0 })
      }
      await prepare(name)
      for (const line of examples) {
        await prepare(line)
        const [, expected = {}] =
          Object.entries(expectations)
            .filter(([beginning]) => line.startsWith(beginning))
            .sort(([a], [b]) => b.length - a.length)[0] ?? []
        if (expected.notRun !== undefined) {
          console.log(`not run: ${line} (${expected.notRun})`)
          continue
        }
        const got = await shell(line.replace('<id>', ids[name] ?? '<id>'), expected)
        if (got.code !== (expected.exit ?? 0)) faults.push({ line, ...got })
      }
      expect(faults).toEqual([])
    },
    300_000,
  )
})

function shell(line: string, { until, input }: Expected): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', until ? `exec ${line}` : line], { cwd: crib, env })
    let output = ''
    let isStopped = false
    const hear = (chunk: Buffer) => {
      output += chunk
      if (!isStopped && until?.test(output)) isStopped = child.kill('SIGINT')
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
    child.stdin.on('error', () => {}) // it may leave before it has read anything
    child.stdin.end(input ?? '')
  })
}
