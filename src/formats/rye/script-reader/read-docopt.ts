// docopt: the usage in the text on top is the interface. Each line of it is one way to call the script.
import type { PythonSource } from './python-source.ts'
import { readHelp } from './read-help.ts'
import {
  firstParagraph,
  paramName,
  type ScriptCommand,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'
import { operandsOfUsage } from './usage-line.ts'

export function readDocopt(source: PythonSource): ScriptInterface {
  const call = [...source.calls()].find(({ name }) => /(^|\.)docopt$/.test(name))
  const doc = source.textOf(call?.args[0] ?? call?.named.get('doc')) ?? source.docstring ?? ''
  const usage = /usage:[ \t]*\n?((?:[ \t]*\S.*\n?)+)/i.exec(doc)?.[1] ?? ''
  const listed = listedOptions(doc)
  const notes: string[] = []
  const found = new Map<string, ScriptCommand[]>()
  for (const line of usage.split('\n').flatMap((each) => spelledOut(each.trim()))) {
    const written = line.replace(/^\S+\s*/, '')
    const words = /^(?:[a-z][\w-]*(?=\s|$)\s*)*/.exec(written)![0].trim()
    const rest = written.slice(words.length)
    if (line === '' || /^\s*\(?\s*(-h|--help|--version|-v)\b/.test(rest)) continue
    if (words === '' && /(^|\s)[a-z][\w-]*(?=\s|$)/.test(rest.replace(/[[(][^\])]*[\])]/g, ''))) {
      notes.push(`The usage "${line}" has a word after an argument; it is left out.`)
      continue
    }
    const command = {
      words: words.split(/\s+/).filter((word) => word !== ''),
      params: paramsOf(rest, listed),
    }
    found.set(words, [...(found.get(words) ?? []), command])
  }
  const commands = [...found.values()].map(joined)
  return { by: 'docopt', description: firstParagraph(doc.split(/usage:/i)[0]), commands, notes }
}

/** `mine (set|remove) <x>` is `mine set <x>` and `mine remove <x>`. */
function spelledOut(line: string): string[] {
  const group = /[([]\s*([a-z][\w-]*(?:\s*\|\s*[a-z][\w-]*)+)\s*[)\]]/.exec(line)
  if (!group) return [line]
  const [before, after] = [line.slice(0, group.index), line.slice(group.index + group[0].length)]
  return group[1]!.split('|').flatMap((word) => spelledOut(`${before}${word.trim()}${after}`))
}

/** Options with texts of their own, by each of their spellings. */
function listedOptions(doc: string): Map<string, ScriptParam> {
  const options = (readHelp(doc)?.commands[0]?.params ?? []).filter(({ flag }) => flag !== undefined)
  const byFlag = new Map(options.map((option) => [option.flag!, option]))
  for (const [, short, long] of doc.matchAll(/^\s*(-\w)\b[^\n]*?[ ,](--[\w-]+)/gm))
    if (byFlag.has(long!)) byFlag.set(short!, byFlag.get(long!)!)
  return byFlag
}

const option = /(?<![\w-])(-{1,2}[A-Za-z][\w-]*)(?:[= ](<[^>]+>|[A-Z][A-Z0-9_-]*(?![\w-])))?/g

function paramsOf(rest: string, listed: ReadonlyMap<string, ScriptParam>): ScriptParam[] {
  const outside = rest.replace(/\[[^[\]]*\]|\([^()]*\|[^()]*\)/g, ' ')
  const named = [...rest.matchAll(option)].map(([, flag, value]): ScriptParam => {
    const known = listed.get(flag!)
    const isRequired = value !== undefined && outside.includes(flag!)
    if (known) return { ...known, isRequired, fallback: isRequired ? undefined : known.fallback }
    const facts = { name: paramName(flag!), flag: flag!, isRequired }
    if (value === undefined) return { ...facts, type: 'boolean' }
    return { ...facts, type: 'string', joint: flag!.startsWith('--') ? '=' : '' }
  })
  const all = /\[options\]/i.test(rest) ? [...named, ...listed.values()] : named
  const options = new Map(all.map((each) => [each.name, each]))
  // An argument of an option that the list tells is none of the line.
  const values = [...rest.matchAll(/(--[\w-]+)[= ]<([^>]+)>/g)].map(([, , value]) => paramName(value!))
  const operands = operandsOfUsage(rest).filter(({ name }) => !values.includes(name) && !options.has(name))
  return [...options.values(), ...operands]
}

/** Several lines of one command: what a line does without may be left out. */
function joined(forms: readonly ScriptCommand[]): ScriptCommand {
  const params = new Map(forms.flatMap((form) => form.params.map((param) => [param.name, param] as const)))
  const isAlways = (name: string) => forms.every((form) => form.params.some((param) => param.name === name))
  return {
    words: forms[0]!.words,
    params: [...params.values()].map((param) => ({
      ...param,
      isRequired: param.isRequired && isAlways(param.name),
    })),
  }
}
