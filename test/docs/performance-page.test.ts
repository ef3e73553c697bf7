import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
// A script without types.
const path = at('bench/page.mjs').href
const { firstLineText, othersText, summaryText } = await import(path)

/** A scenario with what it shares with others. */
function textOf(name: string): string {
  const text = readFileSync(at(`bench/scenarios/${name}.mjs`), 'utf8')
  const shared = [...text.matchAll(/'\.\.\/([\w-]+\.mjs)'/g)].map(([, file]) =>
    readFileSync(at(`bench/${file}`), 'utf8'),
  )
  return [text, ...shared].join('\n')
}

/** Every side that the text of a scenario names took two units. */
function measured(but?: string) {
  const names = readdirSync(at('bench/scenarios')).map((file) => file.replace('.mjs', ''))
  const scenarios = Object.fromEntries(
    names.map((name) => {
      const text = textOf(name)
      const results = new Proxy(
        {},
        { get: (_, side) => (text.includes(String(side)) && side !== but ? { median: 2 } : undefined) },
      )
      return [name, { unit: /unit: '(.+)'/.exec(text)?.[1], results }]
    }),
  )
  return { scenarios, date: '2026-11-19T20:00:00Z', cpu: 'a processor', cores: 2, node: 'v20.0.0' }
}

it('makes the lines on top and the tables of sides that the scenarios have', () => {
  expect(summaryText(measured()).split('\n')).toHaveLength(5)
  expect(summaryText(measured())).toContain('takes 2.00 ms when a model pauses')
  expect(firstLineText(measured())).toContain('| shell script | 2.00 ms | 2.00 ms | 0.00 ms |')
  expect(othersText(measured())).toContain('| 0.00 ms, over JetStream | DBOS 0.00 ms, one process, no bus |')
})

it('names the other that was not there', () => {
  expect(othersText(measured('supergateway'))).toContain('supergateway was not installed; mcp-proxy 2.00 ms')
})

it('names what was not measured', () => {
  expect(() => summaryText(measured('toolcrib list'))).toThrow('start-up has no result of "toolcrib list"')
})

it('has a place in the page for every part that is written by the report', () => {
  const page = readFileSync(at('docs/performance.md'), 'utf8')
  for (const part of ['summary', 'machine', 'targets', 'others', 'first-line', 'results', 'growth'])
    expect(page).toMatch(new RegExp(`<!-- bench:${part} -->\n[^]*<!-- /bench:${part} -->`))
})
