// One operation on a file, carried out behind the fence: the host judges the path and opens nothing by name. Takes
// the order as JSON on standard input; answers with one line of JSON, and what was read after it.
import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

const { O_RDONLY, O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
const order = JSON.parse(readFileSync(0, 'utf8'))

/** Opens a regular file by its real path, with no link in any part of it. */
function opened(flags) {
  if (realpathSync(dirname(order.path)) !== dirname(order.path)) throw { code: 'ELOOP' }
  const fd = openSync(order.path, flags | O_NOFOLLOW | O_NONBLOCK, 0o666)
  if (!fstatSync(fd).isFile()) throw { code: 'ENXIO' }
  return fd
}

function read() {
  const fd = opened(O_RDONLY)
  if (fstatSync(fd).size > order.maxBytes) throw { code: 'EFBIG' }
  const bytes = readFileSync(fd)
  return isUtf8(bytes)
    ? { answer: {}, body: bytes.toString('utf8') }
    : { answer: { encoding: 'base64' }, body: bytes.toString('base64') }
}

function write() {
  mkdirSync(dirname(order.path), { recursive: true })
  const isAppended = order.operation === 'append'
  const fd = opened(O_WRONLY | O_CREAT | (isAppended ? O_APPEND : 0))
  // Emptied only now that it is known to be the right file.
  if (!isAppended) ftruncateSync(fd)
  writeFileSync(fd, order.content)
  closeSync(fd)
  return { answer: {} }
}

function list() {
  const typeOf = (entry) =>
    entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : entry.isFile() ? 'file' : 'other'
  const entries = readdirSync(order.path, { withFileTypes: true })
  return { answer: {}, body: JSON.stringify(entries.map((entry) => ({ name: entry.name, type: typeOf(entry) }))) }
}

function remove() {
  if (lstatSync(order.path).isDirectory()) rmdirSync(order.path)
  else unlinkSync(order.path)
  return { answer: {} }
}

const operations = { read, write, append: write, list, delete: remove }
try {
  const { answer, body = '' } = operations[order.operation]()
  process.stdout.write(`${JSON.stringify({ ok: true, ...answer })}\n${body}`)
} catch (error) {
  process.stdout.write(`${JSON.stringify({ ok: false, code: error.code, message: error.message })}\n`)
}
