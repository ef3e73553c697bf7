// Hints about models, foreign servers and identity providers, followed.
import { followTable } from './follow-table.ts'
import { logins, models } from './upstream.ts'

followTable({ ...models, ...logins })
