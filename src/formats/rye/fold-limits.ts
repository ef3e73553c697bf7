// How much work folding one file's constants may cost. Doubling a list twenty times is ten lines of source and a
// million values; past the limits a value counts as not static.
import type { BudgetLimits } from '../../tool/budget.ts'

export const foldLimits: BudgetLimits = { steps: 50_000, bytes: 2_000_000, depth: 100 }
