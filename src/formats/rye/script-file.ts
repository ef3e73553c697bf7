// The file that a relative import of a script means.
import { statIfThere } from '../../files/stat-if-there.ts'

const endings = [
  '',
  '.js',
  '.ts',
  '.mjs',
  '.cjs',
  '.json',
  '/index.js',
  '/index.ts',
  '/index.mjs',
  '/index.cjs',
]

export function scriptFile(path: string): string | undefined {
  // TypeScript names the file that will be: `./x.js` may be `./x.ts`.
  const spellings = path.endsWith('.js')
    ? [path, `${path.slice(0, -3)}.ts`]
    : endings.map((end) => `${path}${end}`)
  return spellings.find((file) => statIfThere(file)?.isFile())
}
