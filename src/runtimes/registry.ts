// Every runtime that needs nothing but the environment of a crib, one line each, loaded when a tool first needs
// it. Tools made in code come on top: `functionRuntime(map)`.
import type { RuntimeFactory } from './runtime.ts'

export const runtimeLoaders: { readonly [name: string]: () => Promise<RuntimeFactory> } = {
  deno: async () => (await import('./deno/index.ts')).denoRuntime,
  'rye-worker': async () => (await import('./rye/rye-runtimes.ts')).ryeWorker,
  skill: async () => (await import('./skill/skill-runtime.ts')).openSkillRuntime,
  agent: async () => (await import('./agent/agent-runtime.ts')).openAgentRuntime,
  builtin: async () => (await import('./agent/builtin-runtime.ts')).builtinRuntime,
  'rye-http': async () => (await import('./rye/http-runtime.ts')).ryeHttp,
  'rye-docker': async () => (await import('./rye/docker-runtime.ts')).ryeDocker,
  'rye-filesystem': async () => (await import('./rye/filesystem-runtime.ts')).ryeFilesystem,
  'rye-process': async () => (await import('./rye/rye-runtimes.ts')).ryeProcess,
  command: async () => (await import('./command/command-runtime.ts')).commandRuntime,
  mcp: async () => (await import('./mcp/mcp-runtime.ts')).mcpRuntime,
  'rye-mcp': async () => (await import('./mcp/rye-mcp-runtime.ts')).ryeMcp,
  'read-skill': async () => (await import('./command/read-skill-runtime.ts')).readSkillRuntime,
}
