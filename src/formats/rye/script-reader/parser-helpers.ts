// Functions of a script that get a parser of argparse and add to it, or that make one.
import type { PythonNode } from '../python-node.ts'
import type { PythonSource } from './python-source.ts'

const ofParser =
  /^\.(add_argument|add_option|add_parser|add_subparsers|add_argument_group|add_mutually_exclusive_group)$/

export interface ParserHelper {
  readonly params: readonly string[]
  readonly body: PythonNode
}

/** Functions that call a method of argparse on one of their own parameters, or pass it on to such a function. */
export function helpersOf(source: PythonSource): Map<string, ParserHelper> {
  const helpers = new Map<string, ParserHelper>()
  const functions = [...source.nodes()].filter(({ name }) => name === 'FunctionDefinition')
  for (const isAgain of [false, true])
    for (const node of functions) {
      const name = source.sourceOf(node.children.find((part) => part.name === 'VariableName')!)
      const list = node.children.find((part) => part.name === 'ParamList')
      const all = (list?.children ?? []).filter((part) => part.name === 'VariableName')
      const params = all.map((part) => source.sourceOf(part)).filter((each) => !/^(self|cls)$/.test(each))
      const body = node.children.at(-1)!
      const isHelper = [...source.calls(body)].some((call) =>
        isAgain
          ? helpers.has(call.name.replace(/^.*\./, '')) &&
            call.args.some((arg) => params.includes(source.sourceOf(arg)))
          : params.some(
              (param) => ofParser.test(call.name.slice(param.length)) && call.name.startsWith(`${param}.`),
            ),
      )
      if (isHelper) helpers.set(name, { params, body })
    }
  return helpers
}

/** The name of what a function returns in its last line. */
export function returnedName(source: PythonSource, definition: PythonNode): string | undefined {
  const [last] = [...source.nodes(definition.children.at(-1))]
    .filter(({ name }) => name === 'ReturnStatement')
    .slice(-1)
  const name = last?.children[1]
  return name?.name === 'VariableName' ? source.sourceOf(name) : undefined
}
