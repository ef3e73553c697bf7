// A hint that names a command, an option, a setting or a page that is not there cannot be followed. Every hint of the
// source is looked at, so a new one is too.
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { configSchema } from '../../../src/config/config-schema.ts'
import { settingFaults } from '../../../src/config/setting-faults.ts'
import { buildCommand } from '../../../src/surfaces/cli/build-command.ts'
import { commands } from '../../../src/surfaces/cli/registry.ts'
import { unknownParts } from '../../docs/known-commands.ts'
import { sourceHints } from '../../helpers/source-hints.ts'

const hints = sourceHints()
const topKeys = new Set(Object.keys(configSchema['properties'] as object))
const repository = new URL('../../../', import.meta.url)

/** Whether a dotted path is one of toolcrib.yaml; what stands under a name of the user's is any. */
function isSetting(path: string): boolean {
  const nested = path.split('.').reduceRight<unknown>((value, key) => ({ [key]: value }), null)
  return !settingFaults(nested as object as { [key: string]: unknown }).some(
    ({ code }) => code === 'config-unknown-key',
  )
}

it('are found in the source', () => {
  expect(hints.length).toBeGreaterThan(600)
})

it('name only commands there are, with options they have', async () => {
  const faults: string[] = []
  let count = 0
  for (const { file, text } of hints)
    for (const [, call] of text.matchAll(/(?:`|: |run |with )(toolcrib [^`;]+)/g)) {
      count++
      const line = call!
        .replace('toolcrib ${}', 'toolcrib list')
        .replaceAll('${}', 'x')
        .replace(/[.,]$|, (?:then|or) .*$/, '')
      for (const fault of await unknownParts(line)) faults.push(`${file}: ${line}: ${fault}`)
    }
  expect(count).toBeGreaterThan(100)
  expect(faults).toEqual([])
})

it('name only options that some command has', async () => {
  const known = new Set(['--help', '--file', '--no-deps', '--security-opt'])
  for (const entry of commands) {
    const command = buildCommand(entry, await entry.load())
    for (const each of [command, ...command.commands])
      for (const option of each.options) if (option.long) known.add(option.long)
  }
  const named = hints.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => ({ file, flag })),
  )
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter(({ flag }) => !known.has(flag))).toEqual([])
})

it('name only settings there are', () => {
  const named = hints.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w./"'-])([a-z]\w+)\.([a-z]\w+(?:\.[a-z]\w+)*)(?![\w(/"*-])/g)]
      .filter(([, first]) => topKeys.has(first!))
      .map(([path]) => ({ file, path: path!.replace(/\.$/, '') })),
  )
  expect(named.length).toBeGreaterThan(25)
  expect(named.filter(({ path }) => !isSetting(path))).toEqual([])
})

it('give lines of toolcrib.yaml that it takes', () => {
  const lines = hints.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:toolcrib\.yaml: |Set `?|set `?|Write `?|use `?)((\w+): (?:\{.*\}|[\w-]+))/g)]
      .filter(([, , key]) => topKeys.has(key!))
      .map(([, line]) => ({ file, line: line!.replaceAll('${}', 'x').replace(/…/g, '1') })),
  )
  expect(lines.length).toBeGreaterThan(10)
  const faults = lines.flatMap(({ file, line }) =>
    settingFaults(parse(line)).map(({ message }) => `${file}: ${line}: ${message}`),
  )
  expect(faults).toEqual([])
})

it('name only pages there are', () => {
  const pages = hints.flatMap(({ text }) => [...text.matchAll(/docs\/[\w-]+\.md/g)].map(([page]) => page))
  expect(pages.filter((page) => !existsSync(new URL(page, repository)))).toEqual([])
})
