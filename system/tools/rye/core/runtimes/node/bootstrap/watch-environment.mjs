// Says which variables of its environment a tool asks for, where `toolcrib learn` watches it. Each is said by a look at a
// path that nothing has, which the tracer outside sees; nothing is opened for it, and no file is written.
import { statSync } from 'node:fs'

const own = new URL('.', import.meta.url).href
delete process.env.TOOLCRIB_WATCHED

process.env = new Proxy(process.env, {
  get(names, name) {
    say(names, name)
    return names[name]
  },
  has(names, name) {
    say(names, name)
    return name in names
  },
})

function say(names, name) {
  if (typeof name !== 'string' || name === '' || name.includes('/') || name.includes('\0')) return
  // What Node and the runtime ask for, no tool asks for.
  const from = new Error().stack.split('\n')[3] ?? ''
  if (!from.includes('file:') && !/[( ]\//.test(from)) return
  if (from.includes(own)) return
  statSync(`/toolcrib/variable/${name in names ? 'given' : 'missing'}/${name}`, { throwIfNoEntry: false })
}
