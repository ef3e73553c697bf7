// Which rules the tests cite, read from their sources.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export function citedIds(): Set<string> {
  const cited = new Set<string>()
  for (const file of testFiles()) {
    const text = readFileSync(file, 'utf8')
    for (const call of text.matchAll(/verifies\(([^)]*)\)/g)) {
      for (const id of call[1]!.matchAll(/'([^']+)'/g)) cited.add(id[1]!)
    }
  }
  return cited
}

function testFiles(): string[] {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  return ['src', 'test'].flatMap((dir) =>
    readdirSync(`${root}${dir}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${root}${dir}/${file}`),
  )
}
