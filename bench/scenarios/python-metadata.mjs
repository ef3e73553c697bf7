import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pythonTool } from '../make-crib.mjs'

const files = 1_000
const worker = fileURLToPath(new URL('../catalog-worker.mjs', import.meta.url))
const walk = `
import ast, os, sys, time
started = time.perf_counter()
found = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if not name.endswith('.py'):
            continue
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            tree = ast.parse(file.read())
        meta = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                try:
                    meta[node.targets[0].id] = ast.literal_eval(node.value)
                except ValueError:
                    pass
        found += '__version__' in meta
print((time.perf_counter() - started) * 1000)
assert found >= ${files}
`

/** Reading, checking and indexing against Python itself reading the same constants. */
export const scenario = {
  about: `metadata of ${files.toLocaleString('en')} Python files, whole catalog against ast`,
  unit: 'ms',
  run: { rounds: 5, warmUp: 1 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    for (let n = 0; n < files; n++) {
      const [path, text] = pythonTool(n)
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const ms = (program, args) => Number(execFileSync(program, args, { encoding: 'utf8' }))
    return {
      reference: 'python3 with ast',
      sides: {
        'python3 with ast': { measure: async () => ms('python3', ['-c', walk, join(root, '.ai')]) },
        'ours, cold': { measure: async () => ms(process.execPath, [worker, 'cold', root]) },
      },
      teardown: async () => rmSync(root, { recursive: true, force: true }),
    }
  },
}
