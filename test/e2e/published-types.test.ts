// The declarations in dist/ as a strict project without skipLibCheck reads them.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import '../helpers/toolcrib.ts'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

it('the published declarations hold for a program that checks its libraries', () => {
  const entries = ['index', 'skill', 'exports'].map((name) => `${dist}${name}.d.ts`)
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  })
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist))
  expect(own.length).toBeGreaterThanOrEqual(entries.length)
  const faults = own.flatMap((file) =>
    [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      (each) =>
        `${file.fileName.slice(dist.length)}: ${ts.flattenDiagnosticMessageText(each.messageText, ' ')}`,
    ),
  )
  expect(faults).toEqual([])
}, 120_000)
