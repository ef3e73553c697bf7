// Several configuration files at once, in another language: they come keyed by path.
export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = 'settings'
export const __tool_description__ = 'Show the agent settings as a tool gets them'
export const __requires__ = []

export const CONFIG_RESOLVE = [
  { path: 'agent/agent.yaml', mode: 'deep_merge' },
  { path: 'agent/coordination.yaml', mode: 'first_match' },
]

export default ({ resolved_config }) => ({ success: true, data: resolved_config })
