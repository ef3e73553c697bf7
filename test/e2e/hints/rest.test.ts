import { describe } from 'vitest'
import { canLayer } from '../../helpers/layered.ts'
import { followTable } from './follow-table.ts'
import { callers, chains, crumbFiles, held, places, vouching, workers } from './rest.ts'

followTable({ ...crumbFiles, ...vouching, ...callers, ...chains, ...workers })

describe.skipIf(!canLayer)('where changes of files are held', () => followTable({ ...places, ...held }))
