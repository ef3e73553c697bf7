// The commands, one line each; a command's code is loaded when it is used.
import type { CliCommand } from './command.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<CliCommand>
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'add',
    summary: 'make a tool of a script, a program or a server',
    load: async () => (await import('./commands/add.ts')).add,
  },
  { name: 'list', summary: 'tools in the crib', load: async () => (await import('./commands/list.ts')).list },
  {
    name: 'show',
    summary: 'everything about one tool',
    load: async () => (await import('./commands/show.ts')).show,
  },
  {
    name: 'check',
    summary: 'validate definitions',
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    name: 'why',
    summary: 'why a tool is not listed, not callable, denied or slow',
    load: async () => (await import('./commands/why.ts')).why,
  },
  { name: 'run', summary: 'call a tool', load: async () => (await import('./commands/run.ts')).run },
  {
    name: 'read',
    summary: 'what a resource of an MCP server holds',
    load: async () => (await import('./commands/read.ts')).read,
  },
  {
    name: 'agent',
    summary: 'do a task, or run a skill, with a model',
    load: async () => (await import('./commands/agent.ts')).agent,
  },
  {
    name: 'test',
    summary: "run the tools' own examples",
    load: async () => (await import('./commands/test.ts')).test,
  },
  {
    name: 'sign',
    summary: 'sign files in place',
    load: async () => (await import('./commands/sign.ts')).sign,
  },
  {
    name: 'verify',
    summary: 'who vouches for files and tools',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  {
    name: 'keys',
    summary: 'signing key and trusted keys',
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  {
    name: 'trust',
    summary: 'accept what a folder asks for beyond the defaults',
    load: async () => (await import('./commands/trust.ts')).trust,
  },
  {
    name: 'untrust',
    summary: 'take that back',
    load: async () => (await import('./commands/trust.ts')).untrust,
  },
  {
    name: 'lock',
    summary: 'pin every tool as it is now',
    load: async () => (await import('./commands/lock.ts')).lock,
  },
  {
    name: 'diff',
    summary: 'what changed since it was approved',
    load: async () => (await import('./commands/diff.ts')).diff,
  },
  {
    name: 'approve',
    summary: 'accept a tool that changed',
    load: async () => (await import('./commands/approve.ts')).approve,
  },
  {
    name: 'learn',
    summary: 'watch a tool run and propose the smallest grants',
    load: async () => (await import('./commands/learn.ts')).learn,
  },
  {
    name: 'grants',
    summary: 'what tools were denied, and the change that would allow it',
    load: async () => (await import('./commands/grants.ts')).grants,
  },
  {
    name: 'serve',
    summary: 'HTTP, MCP and the console',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'mcp',
    summary: 'MCP server on stdin and stdout',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  {
    name: 'connect',
    summary: 'write this crib into an MCP client',
    load: async () => (await import('./commands/connect.ts')).connect,
  },
  {
    name: 'disconnect',
    summary: 'take it out again',
    load: async () => (await import('./commands/connect.ts')).disconnect,
  },
  {
    name: 'login',
    summary: 'log in to an MCP server or API that wants it',
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'forget that log-in and have it revoked',
    load: async () => (await import('./commands/login.ts')).logout,
  },
  {
    name: 'tokens',
    summary: 'scoped tokens for clients of the server',
    load: async () => (await import('./commands/tokens.ts')).tokens,
  },
  {
    name: 'halt',
    summary: 'stop everything, on all nodes',
    load: async () => (await import('./commands/halt.ts')).halt,
  },
  {
    name: 'resume',
    summary: 'let a halted crib go on',
    load: async () => (await import('./commands/halt.ts')).resume,
  },
  {
    name: 'export',
    summary: 'tool definitions for other systems',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    name: 'crumbs',
    summary: 'breadcrumbs: the events and records tools react to',
    load: async () => (await import('./commands/crumbs.ts')).crumbs,
  },
  {
    name: 'runs',
    summary: 'what ran, and whether the record is whole',
    load: async () => (await import('./commands/runs.ts')).runs,
  },
  {
    name: 'schedules',
    summary: 'what fires when; fire one now, pause it',
    load: async () => (await import('./commands/schedules.ts')).schedules,
  },
  {
    name: 'subscriptions',
    summary: 'which tools react to events, and how far they are',
    load: async () => (await import('./commands/subscriptions.ts')).subscriptions,
  },
  {
    name: 'requests',
    summary: 'runs asked for by breadcrumb, and the same once more',
    load: async () => (await import('./commands/requests.ts')).requests,
  },
  {
    name: 'undo',
    summary: 'take back what a run changed in the files',
    load: async () => (await import('./commands/undo.ts')).undo,
  },
  {
    name: 'secrets',
    summary: 'secrets, stored encrypted and given only to tools that name them',
    load: async () => (await import('./commands/secrets.ts')).secrets,
  },
  {
    name: 'new',
    summary: 'write a working tool file of a format',
    load: async () => (await import('./commands/new.ts')).newTool,
  },
  {
    name: 'convert',
    summary: 'write a tool in another format, with a loss report',
    load: async () => (await import('./commands/convert.ts')).convert,
  },
  {
    name: 'store',
    summary: 'copy everything the crib remembers to another store',
    load: async () => (await import('./commands/store.ts')).store,
  },
  {
    name: 'config',
    summary: 'where each setting came from',
    load: async () => (await import('./commands/config.ts')).config,
  },
  {
    name: 'doctor',
    summary: 'what works on this machine and how to fix the rest',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'schema',
    summary: 'JSON Schemas for editors',
    load: async () => (await import('./commands/schema.ts')).schema,
  },
  {
    name: 'types',
    summary: 'TypeScript types of all tools',
    load: async () => (await import('./commands/types.ts')).types,
  },
  {
    name: 'completion',
    summary: 'shell completion',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
]
