// Where a commit takes the new content of a path from: the layer of a run, or the images when something is undone.
import { createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { lstatBelow } from '../../files/look-below.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { EntryState } from './change-set.ts'
import { openFile, piecesOf } from './entry-state.ts'
import type { Images } from './images.ts'
import type { Layer } from './layer.ts'

export interface ContentSource {
  /** The bytes of a file. Throws when they are not those of the state. */
  pieces(path: string, state: EntryState): Iterable<Uint8Array>
  /** When the file was written, where that is known. */
  modifiedAt?(path: string): Date | undefined
}

export function layerSource({ upper }: Pick<Layer, 'upper'>): ContentSource {
  return {
    pieces: (path, state) => verified(path, state, filePieces(upper, path)),
    modifiedAt: (path) => lstatBelow(upper, path)?.mtime,
  }
}

export function imageSource(images: Images): ContentSource {
  return { pieces: (path, state) => verified(path, state, images.pieces(state.sha256!)) }
}

/** The bytes of a file below a folder. */
export function* filePieces(folder: string, path: string): Generator<Buffer> {
  const descriptor = openFile(folder, path)
  try {
    yield* piecesOf(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** What was judged is what is committed, and kept. */
export function* verified(
  path: string,
  state: EntryState,
  pieces: Iterable<Uint8Array>,
): Generator<Uint8Array> {
  const hash = createHash('sha256')
  for (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') !== state.sha256)
    throw new ToolError('CONFLICT', `${path} is not what it was when it was judged. Nothing was committed.`, {
      details: { paths: [path] },
    })
}
