// Whether processes can be traced here; where they cannot, tests that need it are skipped and say why.
import { probeTracer } from '../../src/sandbox/access/tracer.ts'
import { hasFence } from './fenced.ts'

const { reason } = probeTracer()
export const whyNoTrace: string | undefined = reason ?? (hasFence ? undefined : 'there is no fence')
if (whyNoTrace !== undefined) console.log(`Tests of \`learn\` are skipped: ${whyNoTrace}.`)
