// Hints about foreign servers and services, followed.
import { followTable } from './follow-table.ts'
import { mcpServers, services } from './servers.ts'

followTable({ ...mcpServers, ...services })
