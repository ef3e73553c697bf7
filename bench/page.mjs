// The parts of docs/performance.md that say something in words: the lines on top, the table beside others and where a
// first line comes from. Each is made of results alone, and throws with the name of what was not measured.
import { format } from './harness.mjs'

/** The median of a side in milliseconds. */
function reader(scenarios) {
  return (name, side) => {
    const median = scenarios[name]?.results[side]?.median
    if (median === undefined)
      throw new Error(`${name} has no result of "${side}"; run it with npm run bench -- ${name}`)
    return scenarios[name].unit === 'µs' ? median / 1000 : median
  }
}

const ms = (value) => `${format(value)} ms`

/** How fast, against whom, on what. */
export function summaryText({ scenarios, date, cpu, cores, node }) {
  const of = reader(scenarios)
  const added = (name, side, against) => of(name, side) - of(name, against)
  const times = (name, side, against) => `${format(of(name, side) / of(name, against))} times`
  const inside = added('in-process-call', 'ours', 'bare function + ajv') * 1000
  const start = (side) => times('start-up', side, 'node -e 0')
  return [
    `- **A call** adds ${format(inside)} µs inside a program and ${ms(added('mcp-proxy', 'through the crib', 'directly'))} through a crib to another server; over MCP it takes ${times('mcp-http', 'ours, 1 tool', 'SDK v2 McpServer, 1 tool')} what the official SDK's server takes by HTTP, ${times('mcp-stdio', 'ours', 'SDK v1')} by stdio.`,
    `- **A process** behind the fence costs ${ms(added('fence-cold', 'read only', 'no fence'))} over a bare one, and ${ms(added('effects-cold', 'on a layer, put in place', 'direct'))} more where it writes; a warm tool costs no process: ${ms(of('warm-python', 'ours, warm'))} a call in Python, ${ms(of('warm-node', 'ours, warm'))} in Node, ${ms(of('deno-call', 'ours, warm'))} in Deno.`,
    `- **A run of code mode** (\`return 1 + 1\`) takes ${ms(of('code-mode', 'with a pause before each'))} when a model pauses between two, ${ms(of('code-mode', 'one after the other'))} one right after the other.`,
    `- **A start**: \`toolcrib list\` takes ${start('toolcrib list')} \`node -e 0\`, \`serve\` to its ready line ${start('toolcrib serve to ready')}; an SDK server takes ${start('SDK v2 server to ready')}.`,
    `- **On what**: ${cores} cores (${cpu}), Node ${node.slice(1)}, on ${date.slice(0, 10)}; [others](#beside-others) ran on the same machine in the same run.`,
  ].join('\n')
}

const rivals = [
  {
    what: '`return 1 + 1` in code mode, a model pausing before',
    ours: ['code-mode', 'with a pause before each', 'a process of its own behind the fence'],
    others: [['Executor, with a pause, stdio', 'Executor', 'an engine inside its own process']],
  },
  {
    what: 'a tool of a stdio server over HTTP',
    ours: ['gateway', 'ours', 'checked and recorded'],
    others: [
      ['supergateway', 'supergateway', 'passed on'],
      ['mcp-proxy', 'mcp-proxy', 'passed on'],
    ],
  },
  {
    what: 'a request and its stored answer on PostgreSQL, eight at once',
    ours: ['jetstream-request', 'ours', 'over JetStream'],
    others: [['DBOS, one process, no bus', 'DBOS', 'one process, no bus']],
  },
  {
    what: 'a call of a server over HTTP, 16 connections',
    ours: ['mcp-http', 'ours, 1 tool', 'checked and recorded'],
    others: [['SDK v2 McpServer, 1 tool', 'SDK v2', 'nothing checked']],
  },
  {
    what: 'a call of a server over stdio',
    ours: ['mcp-stdio', 'ours', 'checked and recorded'],
    others: [
      ['SDK v1', 'SDK v1', 'nothing checked'],
      ['fastmcp', 'fastmcp', 'nothing checked'],
    ],
  },
]

/** Ours beside what others make; a cell says who was not there. */
export function othersText({ scenarios }) {
  const of = reader(scenarios)
  const rows = rivals.map(({ what, ours: [name, side, how], others }) => {
    const theirs = others.map(([other, called, so]) =>
      scenarios[name]?.results[other]
        ? `${called} ${ms(of(name, other))}, ${so}`
        : `${called} was not installed`,
    )
    return `| ${what} | ${ms(of(name, side))}, ${how} | ${theirs.join('; ')} |`
  })
  return `| what | ours | others |\n|---|---|---|\n${rows.join('\n')}`
}

/** Per runtime, until the first line of a tool whose process is not there yet. */
export function firstLineText({ scenarios }) {
  const of = reader(scenarios)
  const rows = [
    ['shell script', 'shell', 'shell, ours'],
    ['Python script', 'Python', 'Python, ours'],
    ['Node, first call', 'Node', 'Node, ours, first call'],
    ['Deno, first call', 'Deno', 'Deno, ours, first call'],
  ].map(([runtime, bare, ours]) => {
    const [before, after] = [of('first-line', `${bare}, bare`), of('first-line', ours)]
    return `| ${runtime} | ${ms(before)} | ${ms(after)} | ${ms(after - before)} |`
  })
  return `| runtime | bare | fenced, on a layer | added |\n|---|---|---|---|\n${rows.join('\n')}`
}
