// The published JSON Schema of `toolcrib.yaml`: editors complete from it, the loader validates with it, the
// reference page is made from it.
import type { JsonSchema } from '../tool/tool.ts'
import { sandboxEngines } from './config.ts'

const names = { type: 'array', items: { type: 'string' } }
const texts = { type: 'object', additionalProperties: { type: 'string' } }
const keep = { type: 'string', pattern: '^([1-9][0-9]{0,5}[mhd]|forever)$' }
const positive = { type: 'integer', minimum: 1 }
const sandboxMode = { enum: ['required', 'preferred', 'off'] }

const model = {
  type: 'object',
  additionalProperties: false,
  required: ['provider', 'model'],
  properties: {
    provider: {
      enum: ['openai-compatible', 'ollama', 'anthropic'],
      description: 'Which wire format the model speaks.',
    },
    model: { type: 'string', description: 'Name of the model at the provider.' },
    baseURL: { type: 'string', description: 'Address of the service; required for openai-compatible.' },
    apiKey: {
      type: 'string',
      pattern: '^(env|secret)://',
      description: 'env://NAME or secret://NAME; never the key itself.',
    },
    maxTurns: { ...positive, description: 'Model answers before TURNS_EXCEEDED.' },
    maxTokens: { ...positive, description: 'Tokens of a whole agent run.' },
    maxCost: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Cost of a whole agent run, in the currency of `price`.',
    },
    price: {
      type: 'object',
      additionalProperties: false,
      required: ['input', 'output'],
      description: 'What a million tokens cost.',
      properties: {
        input: { type: 'number', minimum: 0 },
        output: { type: 'number', minimum: 0 },
        currency: { type: 'string', default: 'USD' },
      },
    },
    stream: { type: 'boolean', description: 'False asks for whole answers in place of a stream.' },
  },
  if: { properties: { provider: { const: 'openai-compatible' } } },
  then: { required: ['baseURL'] },
  dependentRequired: { maxCost: ['price'] },
}

const mcpServer = {
  type: 'object',
  additionalProperties: false,
  properties: {
    type: {
      enum: ['stdio', 'http', 'streamable-http'],
      description: 'Transport; found from command or url when absent.',
    },
    command: { type: 'string', description: 'Program of a stdio server.' },
    args: { ...names, description: 'Its arguments.' },
    env: { ...texts, description: 'Its environment, besides the base one.' },
    cwd: { type: 'string', description: 'Its working folder.' },
    url: { type: 'string', description: 'Address of an HTTP server.' },
    headers: { ...texts, description: 'Headers sent with every request.' },
    timeoutMs: { ...positive, description: 'Time limit of one call.' },
    concurrency: { ...positive, description: 'Calls in flight at once.' },
    disabled: { type: 'boolean', description: 'Leaves the server out.' },
  },
}

export const configSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://toolcrib.dev/schema/config.json',
  title: 'toolcrib.yaml',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', description: 'For editors.' },
    roots: { ...names, minItems: 1, description: 'Folders scanned for tools.', default: ['.'] },
    trust: {
      enum: ['off', 'warn', 'require'],
      description: 'What an unsigned or untrusted tool gets: nothing checked, a warning, or a refusal.',
      default: 'warn',
    },
    sandbox: {
      description: 'Whether tools must run inside the fence.',
      default: 'preferred',
      anyOf: [
        sandboxMode,
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            mode: sandboxMode,
            require: { ...names, description: 'Dimensions that must be enforced.' },
            engine: {
              enum: [...sandboxEngines],
              description: 'What puts walls around a process; by default the first that works.',
            },
          },
        },
      ],
    },
    grants: {
      type: 'object',
      additionalProperties: false,
      description: 'What tools may do.',
      properties: {
        default: { ...names, description: 'Granted to every tool.', default: ['fs.read', 'fs.write'] },
        tools: {
          type: 'object',
          additionalProperties: names,
          description: 'Granted to tools whose id (glob) or #tag matches.',
          default: {},
        },
      },
    },
    tools: {
      type: 'object',
      description: 'Rights added for one tool by its id; network, breadcrumbs and tools concern tool-code.',
      default: {},
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          network: {
            anyOf: [{ type: 'boolean' }, names],
            description: 'Hosts it may reach besides those it declares.',
          },
          breadcrumbs: {
            type: 'object',
            additionalProperties: false,
            properties: { read: names, write: names },
          },
          tools: { ...names, description: 'Tools it may call.' },
          secrets: { ...names, description: 'Secrets it may read; a process gets them as variables.' },
          placeholders: {
            ...names,
            description:
              'Secrets it holds only as {{secret:NAME}}, replaced in headers on the way to a host its grants list.',
          },
        },
      },
    },
    skills: {
      type: 'object',
      additionalProperties: false,
      description: 'Skills and tools.json folders.',
      properties: {
        contextMode: {
          enum: ['full', 'readOnDemand'],
          description: 'Whole skill texts in the context, or a list and read_skill.',
          default: 'full',
        },
        allowScripts: {
          type: 'boolean',
          description: "Whether a skill's scripts/ may run as parameter resolvers.",
          default: false,
        },
        disabled: { ...names, description: 'Skills left out.', default: [] },
        enabled: {
          anyOf: [names, { type: 'null' }],
          description: 'Only these skills; absent means all.',
          default: null,
        },
        directory: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description: 'One more folder of skills.',
          default: null,
        },
        extraDirs: { ...names, description: 'More folders of skills, lowest precedence.', default: [] },
        paths: {
          anyOf: [{ type: 'array' }, { type: 'null' }],
          description: 'Where skills are looked for, in place of the default list.',
          default: null,
        },
        env: { ...names, description: "Host variables a skill's commands see.", default: [] },
        timeoutMs: { ...positive, description: 'Time limit of a command.', default: 60000 },
        maxOutputBytes: {
          ...positive,
          description: 'Bytes kept of each output stream of a command.',
          default: 1048576,
        },
        nonlocals: {
          type: 'object',
          description: 'Start value of nonlocals in a root context.',
          default: {},
        },
        promptEnv: {
          ...names,
          description: 'Variables that :env[NAME] may insert into a prompt.',
          default: [],
        },
        contextBytes: {
          type: 'integer',
          minimum: 0,
          description: "Most bytes of context skills in an agent's prompt.",
          default: 32768,
        },
      },
    },
    approve: {
      ...names,
      description: 'Tools (glob on the id, or #tag) that wait for a person.',
      default: [],
    },
    approvals: {
      type: 'object',
      additionalProperties: false,
      description: 'How approvals work.',
      properties: {
        timeoutMs: { ...positive, description: 'How long a call waits for a decision.', default: 300000 },
      },
    },
    secrets: {
      type: 'object',
      additionalProperties: false,
      description: 'Where secrets come from.',
      properties: {
        file: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description:
            'The key of the encrypted secrets: a file, or env://NAME. Absent: secrets.key in the user configuration folder, made on first use.',
          default: null,
        },
        env: {
          ...names,
          description: 'Secrets that may be taken from the environment by name.',
          default: [],
        },
      },
    },
    store: { type: 'string', description: 'Database file, or postgres://…', default: '.toolcrib/crib.db' },
    bus: { type: 'string', description: 'memory, or nats://…', default: 'memory' },
    fleet: {
      type: 'object',
      additionalProperties: false,
      description: 'This node among those that share the store.',
      properties: {
        name: {
          anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }],
          description: 'What people call this node; absent: the name of the host.',
          default: null,
        },
        concurrency: { ...positive, description: 'Requests this node runs at once.', default: 16 },
        tools: {
          type: 'object',
          description:
            'How often a tool may run at once on all nodes together, by pattern of its id. Binds every call; one that finds no place waits up to 10 s.',
          additionalProperties: positive,
          default: {},
        },
      },
    },
    serve: {
      type: 'object',
      additionalProperties: false,
      description: 'The HTTP server.',
      properties: {
        host: { type: 'string', description: 'Interface to bind to.', default: '127.0.0.1' },
        port: {
          type: 'integer',
          minimum: 0,
          maximum: 65535,
          description: 'Port; 0 takes a free one.',
          default: 4747,
        },
        tokens: {
          type: 'array',
          description: 'Tokens besides the one made on first start.',
          default: [],
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['name', 'token'],
            properties: {
              name: { type: 'string', description: 'Shown in records.' },
              token: {
                type: 'string',
                pattern: '^(env://|secret://|sha256:)',
                description: 'env://NAME, secret://NAME or sha256:<hex>; never the token itself.',
              },
              grants: { ...names, description: 'Narrows what calls with this token may do.' },
              allowedTools: { type: 'string', description: 'allowed-tools list that binds this token.' },
              admin: { type: 'boolean', description: 'May read secrets and decide approvals.' },
            },
          },
        },
        allowedHosts: {
          ...names,
          description: 'Host header values accepted besides loopback ones.',
          default: [],
        },
        issuer: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description:
            'OAuth 2.1 issuer whose access tokens (JWT) are accepted; their scopes are tools, tool:<pattern>, grant:<capability> and admin.',
          default: null,
        },
        publicUrl: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description:
            'Address clients use when the server stands behind a proxy, without a slash at its end.',
          default: null,
        },
      },
    },
    models: {
      type: 'object',
      description: 'Models for agents; `default` may name another entry.',
      default: {},
      // One schema for both forms: what fails then is the faulty field, not "must be string".
      additionalProperties: { ...model, type: ['string', 'object'] },
    },
    mcp: {
      type: 'object',
      additionalProperties: false,
      description: 'Foreign MCP servers whose tools join the catalog; .mcp.json is read too.',
      properties: {
        servers: { type: 'object', additionalProperties: mcpServer, default: {} },
        listTimeoutMs: {
          ...positive,
          description: 'How long a listing waits for one server to say what it offers.',
          default: 5000,
        },
      },
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      description: 'Upper limits of every call; a tool may ask for less.',
      properties: {
        timeoutMs: { ...positive, description: 'Milliseconds of one attempt.', default: 300000 },
        memoryMb: { ...positive, description: 'Megabytes of a tool process.', default: 2048 },
        processes: { ...positive, description: 'Processes and threads of a tool.', default: 512 },
        outputBytes: { ...positive, description: 'Bytes of a result.', default: 16777216 },
      },
    },
    env: {
      type: 'object',
      additionalProperties: false,
      description: 'Host variables tools may see.',
      properties: { expose: { ...names, description: 'Names; none by default.', default: [] } },
    },
    schedules: {
      type: 'object',
      additionalProperties: false,
      description: 'The schedule engine.',
      properties: { engine: { enum: ['builtin', 'off'], default: 'builtin' } },
    },
    runs: {
      type: 'object',
      additionalProperties: false,
      description: 'The record of runs.',
      properties: {
        keep: {
          ...keep,
          description:
            'How long records stay: `90d`, `12h`, or `forever`. The rest of the audit chain stays verifiable.',
          default: '90d',
        },
      },
    },
    events: {
      type: 'object',
      additionalProperties: false,
      description: 'The feed of events.',
      properties: {
        keep: {
          ...keep,
          description:
            'How long the feed can be read back, and deleted breadcrumbs stay in it: `7d`, `12h`, or `forever`.',
          default: '7d',
        },
      },
    },
    audit: {
      type: 'object',
      additionalProperties: false,
      description: 'What is recorded of a call.',
      properties: {
        params: {
          enum: ['shape', 'full'],
          description: 'Arguments by shape only, or in full (secrets never).',
          default: 'shape',
        },
      },
    },
    deno: {
      type: 'object',
      additionalProperties: false,
      description: 'The Deno runtime.',
      properties: {
        path: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description: 'Binary to use in place of the shipped one.',
          default: null,
        },
        concurrentCalls: {
          ...positive,
          description: 'Calls that run at once, all tools together; more wait in line.',
          default: 16,
        },
        workersPerTool: { ...positive, description: 'Processes of one tool.', default: 4 },
        callsPerWorker: {
          ...positive,
          description: 'Calls after which a process is replaced.',
          default: 1000,
        },
        idleMs: { ...positive, description: 'How long an idle process is kept.', default: 60000 },
        loadTimeoutMs: { ...positive, description: 'Time limit of loading a module.', default: 10000 },
        outputBytes: { ...positive, description: 'Bytes of a result.', default: 1048576 },
        logBytes: { ...positive, description: 'Bytes of log of one call.', default: 262144 },
        logLineBytes: { ...positive, description: 'Bytes at which a log line is cut.', default: 8192 },
        apiBytes: { ...positive, description: 'Bytes of one context.api request.', default: 4194304 },
      },
    },
  },
}
