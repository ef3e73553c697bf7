// The reference pages are made from the program; this fails when one is stale, and `npm run docs` writes them anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aisvsPage } from './aisvs-page.ts'
import { capabilitiesPage } from './capabilities-page.ts'
import { cliPage } from './cli-page.ts'
import { configurationPage } from './configuration-page.ts'
import { httpPage } from './http-page.ts'
import { repository } from './pages.ts'

const generators: { readonly [file: string]: () => string | Promise<string> } = {
  'docs/aisvs.md': aisvsPage,
  'docs/capabilities.md': capabilitiesPage,
  'docs/cli.md': cliPage,
  'docs/configuration.md': configurationPage,
  'docs/http.md': httpPage,
}

it.each(Object.keys(generators))('%s says what the program does (else: npm run docs)', async (file) => {
  const page = await generators[file]!()
  if (process.env['UPDATE_DOCS']) writeFileSync(join(repository, file), page)
  expect(readFileSync(join(repository, file), 'utf8')).toBe(page)
})
