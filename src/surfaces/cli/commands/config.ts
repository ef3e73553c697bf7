// `toolcrib config explain`: every setting with its value and where it came from.
import { envNameOf } from '../../../config/config-from-env.ts'
import { hidePassword } from '../../../config/hide-password.ts'
import { isPlainObject } from '../../../tool/json.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { columns, outStyle } from '../style.ts'

export const config: CliCommand = {
  words: ['explain'],
  examples: [
    ['toolcrib config explain', 'every setting, its value and its origin'],
    ['TOOLCRIB_TRUST=require toolcrib config explain --json', 'as data'],
  ],
  define(command) {
    command.argument('<action>', 'explain')
  },
  async run(session, [action]) {
    if (action !== 'explain')
      throw new UsageError(`There is no "config ${action}".`, 'Use `toolcrib config explain`.')
    const crib = await session.open()
    const settings = leaves(crib.config, '').map(([key, value]) => ({
      key,
      value: hidePassword(value),
      from: originOf(key, crib.configOrigins),
      env: envNameOf(key),
    }))
    if (session.json)
      session.outJson({ settings, problems: crib.problems.filter((problem) => /config/.test(problem.code)) })
    else
      for (const line of columns(
        settings.map((setting) => [setting.key, JSON.stringify(setting.value), outStyle.dim(setting.from)]),
        0,
      ))
        session.out(line)
    return 0
  },
}

function leaves(value: unknown, path: string): [string, unknown][] {
  if (!isPlainObject(value) || Object.keys(value).length === 0) return [[path, value]]
  return Object.entries(value).flatMap(([key, item]) => leaves(item, path ? `${path}.${key}` : key))
}

function originOf(key: string, origins: { readonly [key: string]: string }): string {
  for (let path = key; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const origin = origins[path]
    if (origin) return origin
  }
  return 'default'
}
