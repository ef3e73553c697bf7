// The shape of the settings: `Config` is its type, `toolcrib.yaml` and `openCrib({ config })` are checked with it,
// editors and the reference page read it. The defaults stand in config.ts, which every command loads.
import type { Json } from '../tool/json.ts'
import { givenAuthShape } from '../tool/plans/server-auth.ts'
import { type Static, t } from '../tool/shape.ts'
import { effectPolicies, exposures, sandboxEngines } from './config.ts'

const names = (description: string, options: { readonly minItems?: number } = {}) =>
  t.list(t.text(), { ...options, description })
const texts = (description: string) => t.map(t.text(), { description })
const positive = (description: string) => t.integer({ minimum: 1, description })
const textOrNull = (description: string) => t.orNull(t.text(), { description })
const keep = (description: string) => t.text({ pattern: '^([1-9][0-9]{0,5}[mhd]|forever)$', description })
const limitShapes = {
  timeoutMs: positive('Milliseconds of one attempt.'),
  memoryMb: positive('Megabytes of a tool process.'),
  processes: positive('Processes and threads of a tool.'),
  outputBytes: positive('Bytes of a result.'),
}
const sandboxMode = t.oneOf(['required', 'preferred', 'off'])

const sandbox = t.closed({
  mode: t.optional(sandboxMode),
  require: t.optional(names('Dimensions that must be enforced.')),
  engine: t.optional(
    t.orNull(t.oneOf(sandboxEngines), {
      description:
        'What puts walls around a process; by default the one that can do most here, of equal ones the faster.',
    }),
  ),
})

export const modelShape = t.closed(
  {
    provider: t.oneOf(['openai-compatible', 'ollama', 'anthropic'], {
      description: 'Which wire format the model speaks.',
    }),
    model: t.text({ description: 'Name of the model at the provider.' }),
    baseURL: t.optional(t.text({ description: 'Address of the service; required for openai-compatible.' })),
    apiKey: t.optional(
      t.text({
        pattern: '^(env|secret)://',
        description: 'env://NAME or secret://NAME; never the key itself.',
      }),
    ),
    maxTurns: t.optional(positive('Model answers before TURNS_EXCEEDED.')),
    maxTokens: t.optional(positive('Tokens of a whole agent run.')),
    maxCost: t.optional(
      t.number({
        exclusiveMinimum: 0,
        description: 'Cost of a whole agent run, in the currency of `price`.',
      }),
    ),
    price: t.optional(
      t.closed(
        {
          input: t.number({ minimum: 0 }),
          output: t.number({ minimum: 0 }),
          currency: t.optional(t.text({ default: 'USD' })),
        },
        { description: 'What a million tokens cost.' },
      ),
    ),
    stream: t.optional(t.boolean({ description: 'False asks for whole answers in place of a stream.' })),
  },
  {
    if: { properties: { provider: { const: 'openai-compatible' } } },
    then: { required: ['baseURL'] },
    dependentRequired: { maxCost: ['price'] },
  },
)

export const mcpServerShape = t.closed({
  type: t.optional(
    t.oneOf(['stdio', 'http', 'streamable-http', 'sse'], {
      description: 'Transport; found from command or url when absent.',
    }),
  ),
  command: t.optional(t.text({ description: 'Program of a stdio server.' })),
  args: t.optional(names('Its arguments.')),
  env: t.optional(texts('Its environment, besides the base one.')),
  envFile: t.optional(
    t.text({ description: 'A file of the crib with lines NAME=value for its environment.' }),
  ),
  cwd: t.optional(t.text({ description: 'Its working folder.' })),
  url: t.optional(t.text({ description: 'Address of an HTTP server.' })),
  serverUrl: t.optional(t.text({ description: 'The same as url.' })),
  httpUrl: t.optional(t.text({ description: 'The same as url.' })),
  headers: t.optional(texts('Headers sent with every request.')),
  auth: t.optional(givenAuthShape),
  timeoutMs: t.optional(positive('Time limit of one call.')),
  concurrency: t.optional(positive('Calls in flight at once.')),
  sandbox: t.optional(
    t.oneOf(['required', 'preferred', 'off'], {
      description: 'The fence of this server, in place of `sandbox`; where that is `required`, it stays so.',
    }),
  ),
  limits: t.optional(
    t.closed(
      {
        timeoutMs: t.optional(limitShapes.timeoutMs),
        memoryMb: t.optional(limitShapes.memoryMb),
        processes: t.optional(limitShapes.processes),
        outputBytes: t.optional(limitShapes.outputBytes),
      },
      { description: 'Limits of this server, below those of `limits`.' },
    ),
  ),
  disabled: t.optional(t.boolean({ description: 'Leaves the server out.' })),
  shared: t.optional(
    t.boolean({ description: 'One process for all principals; by default each token and user has its own.' }),
  ),
})

const apiShape = t.closed({
  spec: t.text({ description: 'Path of the OpenAPI document, from the root of the crib.' }),
  server: t.optional(t.text({ description: 'Address to use in place of those the document names.' })),
  auth: t.optional(
    t.text({
      description: 'The security scheme to use, by its name in the document; `none` sends no credentials.',
    }),
  ),
  include: t.optional(
    names('Operations to offer: a glob on the id, `#tag`, or `METHOD /path`. Default: all.'),
  ),
  exclude: t.optional(names('Operations to leave out, in the same way.')),
})

export const toolOverridesShape = t.closed({
  network: t.optional(
    t.either([t.boolean(), t.list(t.text())], {
      description: 'Hosts it may reach besides those it declares.',
    }),
  ),
  breadcrumbs: t.optional(
    t.closed({
      read: t.optional(names('Schemas it may read.')),
      write: t.optional(names('Schemas it may write.')),
    }),
  ),
  tools: t.optional(names('Tools it may call.')),
  task: t.optional(
    t.either([t.boolean(), t.oneOf(['required'])], {
      description:
        'It takes long: MCP clients that know tasks get one. `required`: others cannot call it at all.',
    }),
  ),
  secrets: t.optional(names('Secrets it may read; a process gets them as variables.')),
  placeholders: t.optional(
    names(
      'Secrets it holds only as {{secret:NAME}}, replaced on the way to a host its grants list, in Authorization; `NAME:Header` names another header.',
    ),
  ),
})

const toolName = '^[A-Za-z0-9_-]{1,64}$'

const offerShape = t.closed({
  tools: t.list(t.text({ pattern: '^[^!\\s]' }), {
    minItems: 1,
    description: 'What is in it: a glob on id or name, `#tag`, `format:glob`, `mcp:server/*`.',
  }),
  expose: t.optional(
    t.oneOf(exposures, {
      description: 'Every tool (`all`), three tools that find and call the rest (`search`), or `code`.',
    }),
  ),
  rename: t.optional(
    t.map(t.text({ pattern: toolName }), {
      description: 'The name a client knows a tool by, for its own name or id.',
    }),
  ),
})

export const tokenShape = t.closed({
  name: t.text({ description: 'Shown in records.' }),
  token: t.text({
    pattern: '^(env://|secret://|sha256:)',
    description: 'env://NAME, secret://NAME or sha256:<hex>; never the token itself.',
  }),
  grants: t.optional(names('Narrows what calls with this token may do.')),
  allowedTools: t.optional(t.text({ description: 'allowed-tools list that binds this token.' })),
  offer: t.optional(
    t.text({ description: 'The offer of `offers` that it is for; it reaches nothing else.' }),
  ),
  admin: t.optional(t.boolean({ description: 'May read secrets and decide approvals.' })),
})

export const configShape = t.closed({
  roots: names('Folders scanned for tools.', { minItems: 1 }),
  trust: t.oneOf(['off', 'warn', 'require'], {
    description: 'What an unsigned or untrusted tool gets: nothing checked, a warning, or a refusal.',
  }),
  sandbox: t.any<Required<Static<typeof sandbox>>>({
    anyOf: [sandboxMode, sandbox],
    description: 'Whether tools must run inside the fence.',
  }),
  grants: t.closed(
    {
      default: names('Granted to every tool.'),
      tools: t.map(t.list(t.text()), {
        description:
          'Granted to tools whose id (glob) or #tag matches; `only` in a list: nothing else counts for them.',
      }),
    },
    { description: 'What tools may do.' },
  ),
  tools: t.map(toolOverridesShape, {
    description: 'Rights added for one tool by its id; network, breadcrumbs and tools concern tool-code.',
  }),
  skills: t.closed(
    {
      contextMode: t.oneOf(['full', 'readOnDemand'], {
        description: 'Whole skill texts in the context, or a list and read_skill.',
      }),
      allowScripts: t.boolean({
        description: "Whether a skill's scripts/ may run as parameter resolvers.",
      }),
      host: t.oneOf(['vouched', 'never', 'always'], {
        description:
          'Which code skills run inside the host; the others run behind the fence, as do vouched ones whose code changes files.',
      }),
      disabled: names('Skills left out.'),
      enabled: t.orNull(t.list(t.text()), { description: 'Only these skills; absent means all.' }),
      directory: textOrNull('One more folder of skills.'),
      extraDirs: names('More folders of skills, lowest precedence.'),
      paths: t.orNull(t.list(t.any<Json>()), {
        description: 'Where skills are looked for, in place of the default list.',
      }),
      env: names("Host variables a skill's commands see."),
      timeoutMs: positive('Time limit of a command.'),
      maxOutputBytes: positive('Bytes kept of each output stream of a command.'),
      nonlocals: t.anyObject<{ readonly [key: string]: Json }>({
        description: 'Start value of nonlocals in a root context.',
      }),
      promptEnv: names('Variables that :env[NAME] may insert into a prompt.'),
      tools: t.oneOf(['auto', 'always', 'never'], {
        description:
          'Whether MCP clients are offered list_skills and read_skill; auto: where the crib has skills.',
      }),
      contextBytes: t.integer({
        minimum: 0,
        description: "Most bytes of context skills in an agent's prompt.",
      }),
    },
    { description: 'Skills and tools.json folders.' },
  ),
  offers: t.map(offerShape, {
    propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' },
    description:
      'Named selections of tools for clients: `mcp --offer name`, `/mcp/name`, `tokens new --offer name`.',
  }),
  system: t.boolean({ description: 'False leaves the tools that ship with Toolcrib out of every list.' }),
  approve: t.list(t.text({ pattern: '^([^@]|@(read-only|reversible|external|irreversible)$)' }), {
    description:
      'Tools (glob on the id, #tag, or @read-only, @reversible, @external, @irreversible by what they may do) that wait for a person.',
  }),
  plugins: names(
    'Modules that bring formats, runtimes, checks or exports; of a folder only once it is accepted.',
  ),
  effects: t.closed(
    {
      default: t.oneOf(effectPolicies, {
        description:
          'What becomes of what a call writes to the files: `commit` puts it in place when it was judged, `hold` asks a person first, `discard` throws it away, `direct` lets the tool write to the files itself.',
      }),
      tools: t.map(t.oneOf(effectPolicies), {
        description: 'The same for tools whose id (glob) or #tag matches; the last that matches counts.',
      }),
      files: positive('Most files one call may change.'),
      bytes: positive('Most bytes one call may write.'),
      keep: t.closed(
        {
          days: positive('Days after which it goes.'),
          bytes: positive('Bytes in all, oldest go first.'),
        },
        { description: 'How long what files held before is kept, so that a run can be undone.' },
      ),
      onConflict: t.oneOf(['merge', 'overwrite', 'refuse'], {
        description:
          'What to do with a file that somebody else changed meanwhile: merge text where the changes do not touch, write over it, or hold the change set.',
      }),
      onStop: t.oneOf(['drop', 'hold'], {
        description:
          'What becomes of what a call wrote that was stopped (time limit, cancel, lost worker): it is dropped, or held for a look.',
      }),
    },
    { description: 'What becomes of the file changes of a call.' },
  ),
  approvals: t.closed(
    { timeoutMs: positive('How long a call waits for a decision.') },
    { description: 'How approvals work.' },
  ),
  secrets: t.closed(
    {
      file: textOrNull(
        'The key of the encrypted secrets: a file, or env://NAME. Absent: secrets.key in the user configuration folder, made on first use.',
      ),
      env: names('Secrets that may be taken from the environment by name.'),
    },
    { description: 'Where secrets come from.' },
  ),
  store: t.text({ description: 'Database file, or postgres://…' }),
  bus: t.text({ description: 'memory, or nats://…' }),
  fleet: t.closed(
    {
      name: t.orNull(t.text({ minLength: 1 }), {
        description: 'What people call this node; absent: the name of the host.',
      }),
      concurrency: positive('Requests this node runs at once.'),
      tools: t.map(t.integer({ minimum: 1 }), {
        description:
          'How often a tool may run at once on all nodes together, by pattern of its id. Binds every call; one that finds no place waits up to 10 s.',
      }),
    },
    { description: 'This node among those that share the store.' },
  ),
  serve: t.closed(
    {
      host: t.text({ description: 'Interface to bind to.' }),
      port: t.integer({ minimum: 0, maximum: 65535, description: 'Port; 0 takes a free one.' }),
      tokens: t.list(tokenShape, { description: 'Tokens besides the one made on first start.' }),
      allowedHosts: names('Host header values accepted besides loopback ones.'),
      issuer: textOrNull(
        'OAuth 2.1 issuer whose access tokens (JWT) are accepted; their scopes are tools, tool:<pattern>, grant:<capability> and admin.',
      ),
      publicUrl: textOrNull(
        'Address clients use when the server stands behind a proxy, without a slash at its end.',
      ),
    },
    { description: 'The HTTP server.' },
  ),
  // One schema for both forms: what fails then is the faulty field, not "must be string".
  models: t.map(t.any<Static<typeof modelShape> | string>({ ...modelShape, type: ['string', 'object'] }), {
    description: 'Models for agents; `default` may name another entry.',
  }),
  mcp: t.closed(
    {
      servers: t.map(mcpServerShape),
      clientDocument: textOrNull(
        'An https address with the client metadata document of this crib, for identity providers that take one.',
      ),
      listTimeoutMs: positive('How long a listing waits for one server to say what it offers.'),
    },
    { description: 'Foreign MCP servers whose tools join the catalog; .mcp.json is read too.' },
  ),
  apis: t.map(apiShape, { description: 'OpenAPI documents whose operations are tools.' }),
  limits: t.closed(limitShapes, {
    description: 'Upper limits of every call; a tool may ask for less.',
  }),
  env: t.closed(
    { expose: names('Names; none by default.') },
    { description: 'Host variables tools may see.' },
  ),
  schedules: t.closed({ engine: t.oneOf(['builtin', 'off']) }, { description: 'The schedule engine.' }),
  audit: t.closed(
    {
      params: t.oneOf(['shape', 'full'], {
        description: 'Arguments by shape only, or in full (secrets never).',
      }),
    },
    { description: 'What is recorded of a call.' },
  ),
  runs: t.closed(
    {
      keep: keep(
        'How long records stay: `90d`, `12h`, or `forever`. The rest of the audit chain stays verifiable.',
      ),
    },
    { description: 'The record of runs.' },
  ),
  events: t.closed(
    {
      keep: keep(
        'How long the feed can be read back, and deleted breadcrumbs stay in it: `7d`, `12h`, or `forever`.',
      ),
    },
    { description: 'The feed of events.' },
  ),
  deno: t.closed(
    {
      path: textOrNull('Binary to use in place of the shipped one.'),
      concurrentCalls: positive('Calls that run at once, all tools together; more wait in line.'),
      workersPerTool: positive('Processes of one tool.'),
      callsPerWorker: positive('Calls after which a process is replaced.'),
      idleMs: positive('How long an idle process is kept.'),
      loadTimeoutMs: positive('Time limit of loading a module.'),
      outputBytes: positive('Bytes of a result.'),
      logBytes: positive('Bytes of log of one call.'),
      logLineBytes: positive('Bytes at which a log line is cut.'),
      apiBytes: positive('Bytes of one context.api request.'),
    },
    { description: 'The Deno runtime.' },
  ),
})
