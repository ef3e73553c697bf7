// Hostile Python behind the fence: every way out is tried for real, and the wall that stops it is named.
import { hasFence, realPython } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { has } from '../helpers/system-parts.ts'
import { pythonCases, pythonDriver } from './python-cases.ts'
import { runDriver, tryCases } from './try-cases.ts'

const python = hasFence && has('perl') ? realPython() : undefined

tryCases({
  name: 'Python',
  cases: pythonCases,
  skip: python === undefined,
  cite: () => proves('escape-corpus'),
  attempt: (grounds) => runDriver(grounds, pythonCases, { file: python!, args: ['-I', '-c', pythonDriver] }),
})
