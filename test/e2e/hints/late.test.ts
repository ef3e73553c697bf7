import { followTable } from './follow-table.ts'
import { late } from './late.ts'

followTable(late)
