// What the editor colours in Python and YAML.
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight'
import { expect, it } from 'vitest'
import { pythonTokens, yamlTokens } from '../../console/src/parts/plain-languages.ts'
import { verifies } from '../helpers/verifies.ts'

const names = tagHighlighter([
  { tag: tags.string, class: 'string' },
  { tag: tags.number, class: 'number' },
  { tag: tags.bool, class: 'value' },
  { tag: tags.keyword, class: 'word' },
  { tag: tags.comment, class: 'comment' },
  { tag: tags.meta, class: 'meta' },
  { tag: tags.propertyName, class: 'key' },
  { tag: tags.definition(tags.variableName), class: 'name' },
])

function coloured(language: typeof pythonTokens, text: string): string[] {
  const found: string[] = []
  highlightTree(language.parser.parse(text), names, (from, to, kind) =>
    found.push(`${kind}:${text.slice(from, to)}`),
  )
  return found
}

it.each<[string, string[]]>([
  ['def greet(name):', ['word:def', 'name:greet']],
  [
    'return rf"a \\" b" + 1.5e3  # why',
    ['word:return', 'string:rf"a \\" b"', 'number:1.5e3', 'comment:# why'],
  ],
  [
    'x = """one\n# not a comment\n""" if True else None',
    [
      'string:"""one',
      'string:# not a comment',
      'string:"""',
      'word:if',
      'value:True',
      'word:else',
      'value:None',
    ],
  ],
  ["@cache\nclass Größe: 'a", ['meta:@cache', 'word:class', 'name:Größe', "string:'a"]],
])('reads Python: %s', (text, expected) => {
  verifies('V10')
  expect(coloured(pythonTokens, text)).toEqual(expected)
})

it.each<[string, string[]]>([
  ['trust: warn  # how', ['key:trust', 'string:warn', 'comment:# how']],
  ['port: 4747', ['key:port', 'number:4747']],
  ['"web/*": ["net.http:a.b", true]', ['key:"web/*"', 'string:"net.http:a.b"', 'value:true']],
  ['- &a http://x.y', ['meta:&a', 'string:http://x.y']],
])('reads YAML: %s', (text, expected) => {
  verifies('V17')
  expect(coloured(yamlTokens, text)).toEqual(expected)
})
