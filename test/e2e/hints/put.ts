// Files of a situation: text writes one, null removes it, text behind `+` goes to its end, a link leads where it says.
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Files = {
  readonly [path: string]: string | Uint8Array | null | { readonly link: string }
}

export function put(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    if (content === null) rmSync(file, { recursive: true, force: true })
    else if (typeof content === 'string' && content.startsWith('+')) appendFileSync(file, content.slice(1))
    else if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(file, content)
    else symlinkSync(content.link, file)
  }
}
