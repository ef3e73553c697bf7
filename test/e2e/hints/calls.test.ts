// Hints of calls, followed.
import { commandCalls, denoCalls, libraryCalls, ryeCalls, skillCalls } from './calls.ts'
import { followTable } from './follow-table.ts'

followTable({ ...ryeCalls, ...commandCalls, ...denoCalls, ...skillCalls, ...libraryCalls })
