// One file to what it states, by its extension. Whatever the bytes are, this returns; it never throws.
import { messageOf } from '../../tool/tool-error.ts'
import { extensionOf } from './file-kinds.ts'
import { readData } from './read-data.ts'
import { readJavascript } from './read-javascript.ts'
import { readPython } from './read-python.ts'
import { readShell } from './read-shell.ts'
import type { Reading } from './reading.ts'

export function readToolFile(path: string, text: string): Reading {
  try {
    switch (extensionOf(path)) {
      case '.py':
        return readPython(text)
      case '.js':
      case '.ts':
      case '.mjs':
      case '.cjs':
        return readJavascript(path, text)
      case '.sh':
        return readShell(text)
      default:
        return readData(path, text)
    }
  } catch (error) {
    return {
      fields: new Map(),
      unknown: {},
      notes: [{ code: 'metadata-parse', message: `The file cannot be read: ${messageOf(error)}.`, line: 1 }],
      docstring: null,
      code: null,
      locate: () => 1,
    }
  }
}
