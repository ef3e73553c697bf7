// The runtime `rye-mcp`: a rye tool that stands for a tool of an `mcp_server` entry.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { isFileInside } from '../../files/real-path.ts'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { Interpreters } from '../rye/interpreter.ts'
import { type Setting, settingOf } from '../rye/setting.ts'
import { expand, textOf as text } from '../rye/template.ts'
import { connectionsOf } from './connections.ts'
import { callForeign, describeTarget, textOf } from './mcp-runtime.ts'
import { type ServerTarget, targetOf } from './server-target.ts'

export function ryeMcp(env: RuntimeEnv): Runtime {
  const interpreters = new Interpreters(env)
  const connections = connectionsOf(env)
  connections.join()
  return {
    name: 'rye-mcp',
    async run(attempt) {
      const setting = await settingOf(attempt, env, interpreters)
      const result = await callForeign(
        attempt,
        env,
        ryeTarget(setting, env),
        toolName(setting),
        setting.params,
      )
      return {
        success: true,
        output: textOf(result),
        data: result.structuredContent,
        content: result.content,
      }
    },
    async plan(attempt: Attempt) {
      const setting = await settingOf(attempt, env, interpreters)
      return { ...describeTarget(ryeTarget(setting, env)), tool: toolName(setting) }
    },
    close: () => connections.leave(),
  }
}

function toolName(setting: Setting): string {
  return String(setting.plan.config['tool_name'])
}

/** The server with its variables filled in, as R60 states its parts. */
function ryeTarget(setting: Setting, env: RuntimeEnv): ServerTarget {
  const { id, config } = setting.plan.server ?? serverFromFile(setting, env)
  const fill = (value: Json | undefined) =>
    text(expand(value ?? '', { ...setting.scope, params: null }).value)
  const fillMap = (value: Json | undefined) =>
    Object.fromEntries(
      Object.entries(isPlainObject(value) ? (value as JsonObject) : {}).map(([name, item]) => [
        name,
        fill(item),
      ]),
    )
  const isHttp = (config['transport'] ?? 'http') !== 'stdio'
  const args = config['args']
  return targetOf(
    {
      name: id,
      transport: isHttp ? 'http' : 'stdio',
      ...(isHttp
        ? { url: fill(config['url']), headers: fillMap(config['headers']) }
        : {
            command: fill(config['command']),
            args: Array.isArray(args) ? args.map(fill) : [],
            env: fillMap(config['env']),
            cwd: config['cwd'] === undefined ? undefined : fill(config['cwd']),
          }),
      shared: config['shared'] === true,
      isOperators: false,
    },
    env.config,
    env.spaces,
  )
}

/** `config.server_config_path`: a file of a tier, read at the call. */
function serverFromFile(
  setting: Setting,
  env: RuntimeEnv,
): { readonly id: string; readonly config: JsonObject } {
  const given = text(
    expand(setting.plan.config['server_config_path'] ?? '', { ...setting.scope, params: null }).value,
  )
  const path = resolve(env.spaces.project, given)
  const tiers = [setting.plan.ai, resolve(env.spaces.project, '.ai'), env.spaces.userAi, env.spaces.system]
  if (!tiers.some((tier) => isFileInside(path, tier)))
    throw new ToolError(
      'CONFIG_INVALID',
      `The server file ${given} does not lie in an .ai folder, or is missing.`,
      {
        hint: 'Put it below .ai/ and name it in config.server_config_path.',
      },
    )
  const document: unknown = parseYaml(readFileSync(path, 'utf8'))
  const config = isPlainObject(document) && isPlainObject(document['config']) ? document['config'] : document
  if (!isPlainObject(config))
    throw new ToolError('CONFIG_INVALID', `${path} does not describe an MCP server.`, {
      hint: 'It needs transport, and url or command.',
    })
  return { id: given, config: config as JsonObject }
}
