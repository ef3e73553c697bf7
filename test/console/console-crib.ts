// A crib with something for every page of the console: tools of several formats, one that is broken, one that
// reacts, one that waits for approval, one that has settings, one that drifts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { type Served, serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { lockCrib } from '../../src/surfaces/trust/lock-crib.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { everythingSchema } from './everything-schema.ts'

/** What must be seen as text and never be markup. */
export const hostile =
  '<img src=x onerror="document.title=1"><script>alert(1)</script> [x](javascript:alert(1)) \u202egnp.exe\u202c'

export interface ConsoleCrib {
  readonly root: string
  readonly crib: Crib
  readonly served: Served
  close(): Promise<void>
}

export async function openConsoleCrib(): Promise<ConsoleCrib> {
  const root = mkdtempSync(join(tmpdir(), 'console-'))
  writeFiles(root, files)
  const crib = await openCrib({
    root,
    env: { HOME: root, PATH: process.env['PATH'] },
    config: { approve: ['danger/*'], audit: { params: 'full' }, schedules: { engine: 'builtin' } },
  })
  addFunctions(crib)
  await lockCrib(crib, { programs: false })
  const served = await serveCrib(crib, { port: 0, edit: true })
  await crib.startEngines()
  return {
    root,
    crib,
    served,
    async close() {
      await served.close(0)
      await crib.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function addFunctions(crib: Crib): void {
  crib.addTool({
    id: 'form/everything',
    description: 'Takes every kind of parameter and gives it back.',
    params: everythingSchema,
    tags: ['demo', 'form'],
    fn: (params) => params,
  })
  crib.addTool({
    id: 'text/strict',
    description: 'Takes a code whose rule the browser cannot check.',
    params: {
      type: 'object',
      properties: { code: { type: 'string' }, other: { type: 'string' } },
      required: ['code'],
      not: { required: ['other'] },
      dependentSchemas: { code: { properties: { code: { minLength: 5 } } } },
    },
    fn: (params) => params,
  })
  crib.addTool({
    id: 'list/people',
    description: 'A list of people, to be shown as a table.',
    tags: ['demo'],
    requires: ['fs.read'],
    fn: () => [
      { name: 'Ada', born: 1815 },
      { name: 'Grace', born: 1906 },
    ],
  })
  crib.addTool({
    id: 'picture/dot',
    description: 'Draws a dot.',
    fn: () =>
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18"/></svg>',
  })
  crib.addTool({
    id: 'slow/steps',
    description: 'Works in steps until it is stopped.',
    params: { type: 'object', properties: { steps: { type: 'integer', default: 1000 } } },
    fn: async (params, attempt) => {
      const { steps } = params as { steps: number }
      for (let step = 1; step <= steps && !attempt.signal.aborted; step++) {
        attempt.log('info', `step ${step}`)
        attempt.progress({ done: step, total: steps, message: 'stepping' })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return 'done'
    },
  })
  crib.addTool({
    id: 'web/get',
    description: 'Needs the network, which nobody granted.',
    requires: ['net.http'],
    fn: () => 'page',
  })
  crib.addTool({
    id: 'hostile/say',
    description: hostile,
    fn: (_params, attempt) => {
      attempt.log('info', hostile)
      return { html: hostile, rows: [{ cell: hostile }], long: 'x'.repeat(10_000_000) }
    },
  })
  crib.addTool({
    id: 'danger/erase',
    description: 'Erases something, after a person agreed.',
    params: { type: 'object', properties: { what: { type: 'string' } } },
    fn: (params) => `erased ${(params as { what: string }).what}`,
  })
}

/** A tool-code file with what a test does not care about filled in. */
export function toolCode(name: string, context: Record<string, unknown>, source: string): string {
  return JSON.stringify(
    {
      schema_name: 'tool.code.v1',
      title: name,
      tags: ['tool', `tool:${name}`, 'workspace:tools', 'self-contained'],
      context: {
        name,
        description: `The ${name} of the consoleCrib.`,
        version: '1.0.0',
        code: { language: 'typescript', source },
        input_schema: { type: 'object' },
        output_schema: {},
        required_secrets: [],
        limits: { memory_mb: 128, timeout_ms: 30_000, cpu_percent: 100 },
        permissions: {},
        examples: [],
        ...context,
      },
    },
    null,
    2,
  )
}

const files = {
  'crumbs/doubler.json': toolCode(
    'doubler',
    {
      description: 'Doubles a number.',
      input_schema: {
        type: 'object',
        properties: { n: { type: 'integer', minimum: 0, description: 'What to double.' } },
        required: ['n'],
      },
      output_schema: { type: 'object', properties: { twice: { type: 'integer' } } },
      examples: [{ input: { n: 21 }, output: { twice: 42 }, description: 'half of the answer' }],
    },
    'export async function execute(input: { n: number }, context: any) {\n  context.log.info("doubling " + input.n)\n  return { twice: input.n * 2 }\n}\n',
  ),
  'crumbs/greeter.json': toolCode(
    'greeter',
    {
      description: 'Greets everybody who leaves a visit.',
      permissions: { breadcrumbs: { read: ['visit.v1'], write: ['greeting.v1'] } },
      subscriptions: [{ schema_name: 'visit.v1', description: 'Every visit' }],
      ui_schema: {
        configurable: true,
        description: 'How visitors are greeted.',
        config_fields: [
          {
            key: 'words',
            label: 'Words',
            type: 'string',
            ui_type: 'text',
            default_value: 'Hello',
            required: true,
          },
          { key: 'letter', label: 'Letter', type: 'string', ui_type: 'textarea' },
          {
            key: 'times',
            label: 'Times',
            type: 'number',
            ui_type: 'number',
            default_value: 1,
            validation: { min: 1, max: 3 },
          },
          { key: 'warmth', label: 'Warmth', type: 'number', ui_type: 'slider', default_value: 50 },
          { key: 'loud', label: 'Loud', type: 'boolean', ui_type: 'boolean', default_value: false },
          { key: 'shout', label: 'Shout', type: 'boolean', ui_type: 'checkbox', default_value: true },
          {
            key: 'tongue',
            label: 'Tongue',
            type: 'string',
            ui_type: 'select',
            options: [
              { value: 'en', label: 'English' },
              { value: 'de', label: 'German' },
            ],
          },
          { key: 'key', label: 'Key', type: 'secret', ui_type: 'secret-select' },
          { key: 'more', label: 'More', type: 'json', ui_type: 'json', default_value: { a: 1 } },
        ],
      },
    },
    `export async function execute(_input: unknown, context: any) {
  const visit = context.request.trigger_event?.context
  if (!visit?.name) return { greeted: null }
  await context.api.createBreadcrumb({ title: 'Hello ' + visit.name, schema_name: 'greeting.v1', tags: [], context: { to: visit.name } })
  return { greeted: visit.name }
}
`,
  ),
  'crumbs/first.json': toolCode(
    'first',
    { bootstrap: { enabled: true, mode: 'once', priority: 90 } },
    'export const execute = () => ({ ready: true })\n',
  ),
  'crumbs/keeper.json': toolCode(
    'keeper',
    { bootstrap: { enabled: true, mode: 'continuous', priority: 50, wait_for: ['first'] } },
    'export const execute = () => new Promise(() => setInterval(() => {}, 1000))\n',
  ),
  'crumbs/hourly.json': JSON.stringify({
    schema_name: 'schedule.definition.v1',
    title: 'Every hour',
    tags: [],
    context: { interval: { type: 'hourly', minute: 30 } },
  }),
  'crumbs/broken.json': toolCode('broken', { code: { language: 'typescript', source: 'const x = 1\n' } }, ''),
  'crumbs/needy.json': toolCode(
    'needy',
    { description: 'Needs a key.', required_secrets: ['NEEDY_KEY'] },
    'export const execute = () => true\n',
  ),
  'crumbs/drifter.json': toolCode(
    'drifter',
    { description: 'Says the time.' },
    'export const execute = () => "noon"\n',
  ),
  '.ai/tools/shop/hello.py':
    '"""Greets by name."""\n__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = "shop"\n__tool_description__ = "Greets by name"\nCONFIG_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}\n\n\ndef execute(params, project_path):\n    return "Hello " + params.get("name", "you")\n',
}
