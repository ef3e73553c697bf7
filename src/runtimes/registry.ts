// Every runtime that needs nothing but the environment of a crib, one line each, loaded when a tool first needs
// it. Tools made in code come on top: `functionRuntime(map)`.
import type { LateRuntime } from './runtime.ts'

export const runtimes: readonly LateRuntime[] = [
  { name: 'deno', open: async (env) => (await import('./deno/index.ts')).denoRuntime(env) },
  { name: 'rye-worker', open: async (env) => (await import('./rye/rye-runtimes.ts')).ryeWorker(env) },
  { name: 'skill', open: async (env) => (await import('./skill/skill-runtime.ts')).openSkillRuntime(env) },
  { name: 'agent', open: async (env) => (await import('./agent/agent-runtime.ts')).openAgentRuntime(env) },
  { name: 'builtin', open: async (env) => (await import('./agent/builtin-runtime.ts')).builtinRuntime(env) },
  { name: 'rye-http', open: async (env) => (await import('./rye/http-runtime.ts')).ryeHttp(env) },
  { name: 'rye-docker', open: async (env) => (await import('./rye/docker-runtime.ts')).ryeDocker(env) },
  {
    name: 'rye-filesystem',
    open: async (env) => (await import('./rye/filesystem-runtime.ts')).ryeFilesystem(env),
  },
  { name: 'rye-process', open: async (env) => (await import('./rye/rye-runtimes.ts')).ryeProcess(env) },
  {
    name: 'command',
    open: async (env) => (await import('./command/command-runtime.ts')).commandRuntime(env),
  },
  { name: 'mcp', open: async (env) => (await import('./mcp/mcp-runtime.ts')).mcpRuntime(env) },
  {
    name: 'openapi',
    open: async (env) => (await import('./openapi/openapi-runtime.ts')).openApiRuntime(env),
  },
  { name: 'rye-mcp', open: async (env) => (await import('./mcp/rye-mcp-runtime.ts')).ryeMcp(env) },
  {
    name: 'read-skill',
    open: async (env) => (await import('./command/read-skill-runtime.ts')).readSkillRuntime(env),
  },
]
