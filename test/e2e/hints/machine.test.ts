import { followTable } from './follow-table.ts'
import { machine } from './machine.ts'

followTable(machine)
