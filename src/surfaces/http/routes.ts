// Every route, in the order in which they are tried. One that is not in this list is not served.
import type { Route } from './route.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { automationRoutes } from './routes/automation.ts'
import { callRoute } from './routes/call.ts'
import { consoleRoutes } from './routes/console.ts'
import { crumbRoutes } from './routes/crumbs.ts'
import { eventFeedRoute } from './routes/event-feed.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { nodesRoute } from './routes/nodes.ts'
import { oauthRoutes } from './routes/oauth.ts'
import { runRoutes } from './routes/runs.ts'
import { secretRoutes } from './routes/secrets.ts'
import { serverRoutes } from './routes/server.ts'
import { tokensRoute } from './routes/tokens.ts'
import { toolConfigRoutes } from './routes/tool-config.ts'
import { toolRoutes } from './routes/tools.ts'
import { trustRoutes } from './routes/trust.ts'

export const routes: readonly Route[] = [
  ...serverRoutes,
  ...oauthRoutes,
  // Before the tool itself, whose id may contain slashes.
  ...toolConfigRoutes,
  ...toolRoutes,
  callRoute,
  ...runRoutes,
  ...crumbRoutes,
  eventFeedRoute,
  ...secretRoutes,
  ...automationRoutes,
  nodesRoute,
  ...trustRoutes,
  tokensRoute,
  ...approvalRoutes,
  ...consoleRoutes,
  ...mcpRoutes,
]
