// Every route, in the order in which they are tried. One that is not in this list is not served.
import type { Route } from './route.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { automationRoutes } from './routes/automation.ts'
import { callRoute } from './routes/call.ts'
import { changeRoutes } from './routes/changes.ts'
import { connectRoute } from './routes/connect.ts'
import { consoleRoutes } from './routes/console.ts'
import { crumbRoutes } from './routes/crumbs.ts'
import { editRoutes } from './routes/edit.ts'
import { eventFeedRoute } from './routes/event-feed.ts'
import { grantRoutes } from './routes/grants.ts'
import { haltRoutes } from './routes/halt.ts'
import { insightRoutes } from './routes/insight.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { nodesRoute } from './routes/nodes.ts'
import { oauthRoutes } from './routes/oauth.ts'
import { runRoutes } from './routes/runs.ts'
import { secretRoutes } from './routes/secrets.ts'
import { machineRoutes } from './routes/server.ts'
import { serverLoginRoutes } from './routes/server-logins.ts'
import { serverRoutes } from './routes/servers.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { toolConfigRoutes } from './routes/tool-config.ts'
import { toolRoutes } from './routes/tools.ts'
import { trustRoutes } from './routes/trust.ts'

export const routes: readonly Route[] = [
  ...machineRoutes,
  ...oauthRoutes,
  // Before the tool itself, whose id may contain slashes.
  ...toolConfigRoutes,
  ...insightRoutes,
  ...toolRoutes,
  callRoute,
  // Before a run itself, whose id takes what follows.
  ...changeRoutes,
  ...runRoutes,
  ...crumbRoutes,
  eventFeedRoute,
  ...secretRoutes,
  ...automationRoutes,
  nodesRoute,
  ...trustRoutes,
  ...tokenRoutes,
  connectRoute,
  ...serverLoginRoutes,
  ...serverRoutes,
  ...editRoutes,
  ...approvalRoutes,
  ...grantRoutes,
  ...haltRoutes,
  ...consoleRoutes,
  ...mcpRoutes,
]
