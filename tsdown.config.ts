import { defineConfig, type TsdownPlugin } from 'tsdown'
import { staticClosure } from './scripts/static-closure.ts'

// What every command loads stands in one file: opening many small ones is most of a start. The version is
// answered without it.
const always = staticClosure(['src/crib.ts', 'src/surfaces/cli/main.ts', 'src/surfaces/cli/commands/list.ts'])
// The same for what a server loads before it is ready.
const serving = staticClosure([
  'src/surfaces/cli/commands/serve.ts',
  'src/surfaces/http/serve-crib.ts',
  'src/crumbs/open-crumbs.ts',
  'src/crumbs/open-store.ts',
  'src/crumbs/sqlite/sqlite-store.ts',
  'src/crumbs/engines.ts',
  'src/crumbs/seeds.ts',
  'src/catalog/watch-places.ts',
])
for (const file of staticClosure(['src/cli.ts'])) {
  always.delete(file)
  serving.delete(file)
}

// Importing a module of Node's from an ES module looks at every export it has, which loads streams, timers and
// more. Asked for directly it costs nothing of the kind, and every program here starts with ten of them.
const builtinImport = /^import (?:(\w+)|\{ ([^}]*) \}) from "(node:[\w/]+)";$/gm
const plainBuiltins = {
  name: 'plain-builtins',
  renderChunk: (code: string, chunk: { readonly fileName: string }) => {
    // Declarations import types, which a value cannot stand in for.
    if (chunk.fileName.endsWith('.d.ts')) return null
    return code.replace(
      builtinImport,
      (_, whole: string | undefined, names: string | undefined, id: string) => {
        const bound = whole ?? `{ ${names!.replaceAll(' as ', ': ')} }`
        return `const ${bound} = process.getBuiltinModule("${id}");`
      },
    )
  },
}

const common = {
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  logLevel: 'warn',
  plugins: [plainBuiltins] as TsdownPlugin[],
  // Names stay as they are, so that a stack trace can be read; what is not there need not be parsed.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
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
        groups: [
          { name: 'core', priority: 2, test: (id: string) => always.has(id) },
          { name: 'serving', priority: 1, test: (id: string) => serving.has(id) },
        ],
      },
    },
  },
  // Threads load nothing of the rest, so they start in a moment.
  {
    ...common,
    entry: {
      'run-writer-thread': 'src/crumbs/sqlite/run-writer-thread.ts',
      'watchdog-thread': 'src/runtimes/skill/watchdog-thread.ts',
    },
    dts: false,
    clean: false,
  },
])
