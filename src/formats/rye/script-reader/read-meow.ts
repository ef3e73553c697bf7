// meow: its flags are an object, its arguments stand in the text of its help.

import { readHelp } from './read-help.ts'
import type { AstNode, ScriptAst } from './script-ast.ts'
import { paramName, type ScalarType, type ScriptInterface, type ScriptParam } from './script-interface.ts'
import { operandsOfUsage } from './usage-line.ts'

/** Undefined when nothing calls it in a way that reading tells. */
export function readMeow(ast: ScriptAst): ScriptInterface | undefined {
  for (const node of ast.nodes()) {
    const call = ast.callOf(node)
    if (call?.method !== 'meow') continue
    const options = ast.entriesOf(call.args.at(-1))
    const help = ast.textOf(call.args[0]) ?? ast.textOf(options.get('help')) ?? ''
    const said = new Map(
      readHelp(help)?.commands[0]?.params.map(({ flag, description }) => [flag, description]),
    )
    const flags = [...ast.entriesOf(options.get('flags'))].map(([name, flag]) => {
      const param = flagOf(ast, name, flag)
      return { ...param, description: said.get(param.flag!) }
    })
    const usage = /^\s*\$\s+\S+[ \t]*(.*)$/m.exec(help)?.[1]
    return {
      by: 'meow',
      description: ast.textOf(options.get('description')),
      commands: [{ words: [], params: [...flags, ...operandsOfUsage(usage ?? '')] }],
      notes: [],
    }
  }
  return undefined
}

function flagOf(ast: ScriptAst, name: string, node: AstNode): ScriptParam {
  const facts = ast.entriesOf(node)
  const value = (key: string) => ast.valueOf(facts.get(key))
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const fallback = value('default')
  const type = (value('type') ?? 'string') as ScalarType
  const common = { name: paramName(name), flag, type }
  if (type === 'boolean')
    return {
      ...common,
      isRequired: false,
      off: fallback === true ? flag.replace('--', '--no-') : undefined,
    }
  const choices = value('choices')
  const isRequired = value('isRequired') === true && fallback === undefined
  const isScalar = typeof fallback === 'string' || typeof fallback === 'number'
  return {
    ...common,
    joint: '=',
    isRequired,
    ...(value('isMultiple') === true ? { list: 'repeated' as const, count: {} } : {}),
    choices: Array.isArray(choices) ? choices : undefined,
    fallback: isScalar ? fallback : undefined,
  }
}
