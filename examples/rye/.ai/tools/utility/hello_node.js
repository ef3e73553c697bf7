/**
 * The older way for Node: metadata in tags, parameters as command-line flags, the result on stdout.
 *
 * @version 1.0.0
 * @tool_type javascript
 * @executor_id node_runtime
 * @category utility
 * @description Say hello to someone from a Node script
 * @param {string} [name=World] - Name to greet
 */

const { parseArgs } = require('node:util')

const { values } = parseArgs({ options: { name: { type: 'string', short: 'n', default: 'World' } } })

console.log(`Hello, ${values.name}!`)
