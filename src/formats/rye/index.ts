// The rye format: one file is one tool, its metadata is read from the file's text, and its executor chain says
// what runs it.
import type { Format } from '../format.ts'
import { toolFiles } from './file-kinds.ts'

export const rye: Format = {
  name: 'rye',
  traits: { fillDefaults: true },
  units: (place) =>
    toolFiles(place).map((entry) => ({ format: 'rye', place, files: [entry], isCertain: true })),
  parse: () => ({ tools: [], problems: [] }),
}
