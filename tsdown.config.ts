import { resolve } from 'node:path'
import { defineConfig, type TsdownPlugin } from 'tsdown'
import { staticClosure } from './scripts/static-closure.ts'

// What every command loads stands in one file: opening many small ones is most of a start. The version is
// answered without it.
// What a crib whose files are known from the last time does not run to list them is left out, with what only that
// imports, and loaded by its first use: whatever calls, the fence, the readers of files, what becomes of changes. None of
// it may be needed while a module is loaded; test/e2e/start-up.test.ts holds that a list loads none of it.
const late = [
  'src/crib/calling.ts',
  'src/crib/carry-changes.ts',
  'src/crib/place-asks.ts',
  'src/crib/runtime-env.ts',
  'src/files/look-below.ts',
  'src/formats/mcp/skill-servers.ts',
  'src/formats/rye/read-file.ts',
  'src/formats/skill/cascade/skill-cascade.ts',
  'src/formats/skill/cascade/skill-index.ts',
  'src/formats/skill/computed-skill.ts',
  'src/formats/skill/find-skills.ts',
  'src/formats/skill/inline.ts',
  'src/formats/skill/make-skill.ts',
  'src/formats/skill/programmatic.ts',
  'src/formats/skill/read-skill.ts',
  'src/formats/tool-parts.ts',
  'src/guards/offer-selection.ts',
  'src/guards/skills/skill-calls.ts',
  'src/guards/wrappers/returns.ts',
  'src/runs/row-of-call.ts',
  'src/runs/verify-runs.ts',
  'src/runtimes/agent/skill-texts.ts',
  'src/runtimes/function/function-runtime.ts',
  'src/runtimes/openapi/api-login.ts',
  'src/sandbox/access/said-denials.ts',
  'src/sandbox/changes/bases.ts',
  'src/sandbox/changes/call-changes.ts',
  'src/sandbox/changes/carried-changes.ts',
  'src/sandbox/changes/commit-changes.ts',
  'src/sandbox/changes/content-source.ts',
  'src/sandbox/changes/decide-held.ts',
  'src/sandbox/changes/entry-state.ts',
  'src/sandbox/changes/journal.ts',
  'src/sandbox/changes/resolve-conflicts.ts',
  'src/sandbox/changes/run-changes.ts',
  'src/sandbox/changes/undo-runs.ts',
  'src/sandbox/changes/written-entries.ts',
  'src/sandbox/open-fence.ts',
  'src/sandbox/tool-grants.ts',
  'src/secrets/key-file.ts',
  'src/secrets/secrets-of-call.ts',
  'src/surfaces/cli/print-problems.ts',
  'src/tool/action-tool.ts',
  'src/tool/schema/compile-schema.ts',
  'src/tool/schema/validate.ts',
  'src/tool/standard-schema.ts',
  'src/tool/stoppable.ts',
  'src/trust/lock/capability-differences.ts',
  'src/trust/lock/differences.ts',
  'src/trust/lock/drift.ts',
  'src/trust/lock/pin-tool.ts',
  'src/trust/lock/tool-keys.ts',
  'src/trust/protected-set.ts',
  'src/trust/signature-line.ts',
  'src/trust/tool-files.ts',
  'src/trust/verification.ts',
  'src/trust/vouched.ts',
]
// The last one is what a server, which loads nothing of that before it is ready either, has in common with calls.
const always = staticClosure(
  [
    'src/crib/crib.ts',
    'src/surfaces/cli/main.ts',
    'src/surfaces/cli/commands/list.ts',
    'src/sandbox/addresses.ts',
  ],
  late,
)
const calling = staticClosure(late)
// The same for what a server loads before it is ready.
const serving = staticClosure([
  'src/surfaces/cli/commands/serve.ts',
  'src/surfaces/http/serve-crib.ts',
  'src/crib/open-breadcrumbs.ts',
  'src/store/open-store.ts',
  'src/store/sqlite/sqlite-store.ts',
  'src/automation/engines.ts',
  'src/events/seeds.ts',
  'src/catalog/watch-folders.ts',
])
// And for what it loads when it answers.
const answering = staticClosure(['src/surfaces/http/app-listener.ts'])
// Of which calls load something too, and must not load the web server with it.
const notOnlyAnswering = /\/src\/formats\//
/**
 * Packages that every command loads, those that a server does, and the few builders of TypeBox that are used (all of
 * it takes 100 ms to load): files of their own would each be looked for and
 * compiled at every start. They stay dependencies, where people look for versions and licences.
 */
const packedAlways = /\/node_modules\/(commander|picocolors|@sinclair\/typebox)\/.*\.m?js$/
const packedAnswering = /\/node_modules\/(hono|@hono\/node-server)\//
// What of it only a server needs stands apart, for every call loads something of the rest.
const onlyServing = /\/src\/(surfaces\/(?!cli\/watch-calls\.ts)|catalog\/watch-folders\.ts)/
const packed = /^(@sinclair\/typebox|commander|picocolors|hono|@hono\/node-server)(\/|$)/
// What the program needs to begin; the program itself is nobody's part, for whoever loads it runs it.
const beginning = staticClosure(['src/cli.ts'])
beginning.delete(resolve('src/cli.ts'))

/** V8 keeps text beyond Latin-1 at twice the size, and reads it more slowly. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// The sources are ES modules and what is built from them is CommonJS, which Node starts sooner: its loader is there
// from the beginning, and the code cache can take part. One build serves `import` and `require` alike, so a skill
// that imports `toolcrib/skill` gets the very modules that run it.
const saysCommonJs = {
  name: 'says-common-js',
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle))
      if (part.type === 'chunk' && part.fileName.endsWith('.js')) part.code = inAscii(part.code)
    // For `import` each entry has a module of its own that names what there is: tools read it, and no `default` appears.
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk' || !part.isEntry || part.exports.length === 0) continue
      if (!part.fileName.endsWith('.js')) continue
      const from = `'./${part.fileName}'`
      const emit = (ending: string, source: string) =>
        this.emitFile({ type: 'asset', fileName: `${part.name}${ending}`, source })
      emit('.mjs', `export { ${part.exports.join(', ')} } from ${from}\n`)
      emit('.d.mts', `export * from ${from}\n`)
    }
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' })
  },
} satisfies TsdownPlugin

// Many a module of Node's brings others along: node:crypto the streams, node:http all of TLS. A chunk names every one
// that some function in it may use, so each is loaded by its first use instead. So is the part that only calls need.
const builtin =
  /^(?:let (node_\w+)|const (require_calling)) = require\("(node:[\w/]+|\.\/calling-[^"]+)"\);$/gm
const lateBuiltins = {
  name: 'late-builtins',
  // The one such line of a package that is built in; it is for commands that are programs of their own.
  transform(code, id) {
    if (!id.endsWith('/commander/lib/command.js')) return null
    return code.replace(
      "const childProcess = require('node:child_process')",
      "const childProcess = { spawn: (...given) => require('node:child_process').spawn(...given) }",
    )
  },
  renderChunk(code, chunk) {
    // Declarations import types, which a value cannot stand in for.
    if (chunk.fileName.endsWith('.d.ts')) return null
    let late = code
    for (const [line, module, part, id] of code.matchAll(builtin)) {
      const name = (module ?? part)!
      // A default import: what it is bound to is not the module itself.
      if (late.split(`${name} = `).length > 2) continue
      late = late
        .replace(line, `const ${name} = { get late() { return this.found ??= require("${id}") } };`)
        .replaceAll(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}\\.`, 'g'), `${name}.late.`)
    }
    // What a chunk requires it requires with its own; making another takes longer than using it.
    late = late.replaceAll(
      /\(0, node_module\.late\.createRequire\)\(require\("url"\)\.pathToFileURL\(__filename\)\.href\)/g,
      'require',
    )
    return late === code ? null : late
  },
} satisfies TsdownPlugin

const common = {
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  logLevel: 'warn',
  inputOptions: { checks: { bundlerTimings: false }, preserveEntrySignatures: 'allow-extension' },
  plugins: [saysCommonJs, lateBuiltins] as TsdownPlugin[],
  // Names stay as they are, so that a stack trace can be read; what is not there need not be parsed.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
} as const

export default defineConfig([
  {
    ...common,
    entry: ['src/index.ts', 'src/cli.ts', 'src/skill.ts', 'src/exports.ts'],
    dts: true,
    clean: true,
    deps: { alwaysBundle: packed },
    outputOptions: {
      strict: true,
      dynamicImportInCjs: false,
      // What ends like this is loaded through the code cache, where `import()` does not work.
      chunkFileNames: '[name]-[hash].chunk.js',
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: 'beginning', priority: 3, test: (id: string) => beginning.has(id) },
          { name: 'core', priority: 2, test: (id: string) => always.has(id) || packedAlways.test(id) },
          { name: 'calling', priority: 1, test: (id: string) => calling.has(id) },
          { name: 'starting', priority: 1, test: (id: string) => serving.has(id) && onlyServing.test(id) },
          { name: 'serving', priority: 1, test: (id: string) => serving.has(id) },
          {
            name: 'answering',
            priority: 0,
            test: (id: string) =>
              packedAnswering.test(id) || (answering.has(id) && !notOnlyAnswering.test(id)),
          },
        ],
      },
    },
  },
  // Threads load nothing of the rest, so they start in a moment.
  {
    ...common,
    entry: {
      'run-writer-thread': 'src/store/sqlite/run-writer-thread.ts',
      'watchdog-thread': 'src/runtimes/skill/watchdog-thread.ts',
    },
    dts: false,
    clean: false,
    outputOptions: { strict: true },
  },
])
