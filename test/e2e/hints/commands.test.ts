// Hints of the command line, followed.
import { usage, ways } from './commands.ts'
import { followTable } from './follow-table.ts'

followTable({ ...usage, ...ways })
