// Hints of serving, of narrowed callers, of decisions and of code that misbehaves, followed.
import { followTable } from './follow-table.ts'
import { misbehaving, narrowed, serving } from './more.ts'

followTable({ ...narrowed, ...serving, ...misbehaving })
