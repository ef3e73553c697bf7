// Hints of the HTTP server, followed.
import { followTable } from './follow-table.ts'
import { http } from './http.ts'

followTable(http)
