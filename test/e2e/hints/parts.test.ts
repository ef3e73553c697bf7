// Hints of single parts, followed.
import { followTable } from './follow-table.ts'
import { parts } from './parts.ts'

followTable(parts)
