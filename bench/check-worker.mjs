// One `check` of a crib in a fresh process, which reads the code of its tools or does not; prints the milliseconds of
// user CPU time of the whole process. The clock would tell of whatever else the machine does.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openCrib } from '../dist/index.js'

const [root, heat, reads] = process.argv.slice(2)

if (heat === 'cold') rmSync(join(root, '.toolcrib'), { recursive: true, force: true })
const crib = await openCrib({ root })
if (reads === 'without') crib.findingsOf = async () => new Map()
const { problems } = await crib.check()
await crib.close()
const told = problems.filter(({ code }) => code === 'capability-undeclared').length
if (reads === 'with' ? told < 20 : told > 0) throw new Error(`${told} tools are told for what they touch`)
console.log(process.cpuUsage().user / 1000)
