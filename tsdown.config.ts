import { defineConfig } from 'tsdown'
import { staticClosure } from './scripts/static-closure.ts'

// What every command loads stands in one file: opening many small ones is most of a start. The version is
// answered without it.
const always = staticClosure(['src/crib.ts', 'src/surfaces/cli/main.ts', 'src/surfaces/cli/commands/list.ts'])
for (const file of staticClosure(['src/cli.ts'])) always.delete(file)

const common = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  logLevel: 'warn',
} as const

export default defineConfig([
  {
    ...common,
    entry: ['src/index.ts', 'src/cli.ts', 'src/skill.ts', 'src/exports.ts'],
    dts: true,
    clean: true,
    inputOptions: { checks: { pluginTimings: false }, preserveEntrySignatures: 'allow-extension' },
    outputOptions: {
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: 'core', test: (id: string) => always.has(id) }],
      },
    },
  },
  // Threads load nothing of the rest, so they start in a moment.
  { ...common, entry: ['src/crumbs/sqlite/run-writer-thread.ts'], dts: false, clean: false },
])
