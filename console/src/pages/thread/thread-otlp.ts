// A thread as OpenTelemetry traces in JSON (OTLP/HTTP), for any tool that reads them. An event is a span without length.
import type { Thread } from '../../api/types.ts'

type Node = Thread['nodes'][number]

const serverKind = 2
const internalKind = 1

/** The body of a POST to `/v1/traces`. */
export async function otlpOf(thread: Thread, version: string): Promise<object> {
  const traceId = await hexOf(thread.nodes[0]?.id ?? thread.id, 16)
  const ids = new Map<string, string>()
  for (const { id } of thread.nodes) ids.set(id, await hexOf(id, 8))
  return {
    resourceSpans: [
      {
        resource: { attributes: [text('service.name', 'toolcrib'), text('service.version', version)] },
        scopeSpans: [
          {
            scope: { name: 'toolcrib', version },
            spans: thread.nodes.map((node) => spanOf(node, traceId, ids)),
          },
        ],
      },
    ],
  }
}

function spanOf(node: Node, traceId: string, ids: ReadonlyMap<string, string>): object {
  const beginMs = Date.parse(node.at)
  const parent = node.parent === null ? undefined : ids.get(node.parent)
  const isFault = node.state === 'failed' || node.state === 'refused'
  return {
    traceId,
    spanId: ids.get(node.id),
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: node.kind === 'run' ? node.title : (node.schema ?? node.title),
    kind: node.parent === null ? serverKind : internalKind,
    startTimeUnixNano: nanos(beginMs),
    endTimeUnixNano: nanos(beginMs + (node.ms ?? 0)),
    attributes: attributesOf(node),
    events: node.logs.map((line) => ({
      timeUnixNano: nanos(beginMs + line.atMs),
      name: line.message,
      attributes: [text('log.level', line.level)],
    })),
    status: isFault ? { code: 2, message: node.errorCode ?? '' } : node.state === 'ok' ? { code: 1 } : {},
  }
}

function attributesOf(node: Node): object[] {
  const texts: readonly (readonly [string, string | undefined])[] = [
    [node.kind === 'run' ? 'toolcrib.tool' : 'toolcrib.event', node.title],
    ['toolcrib.state', node.state],
    ['toolcrib.run', node.runId],
    ['toolcrib.crumb', node.crumb],
    ['toolcrib.schema', node.schema],
    ['toolcrib.caller', node.caller],
    ['toolcrib.surface', node.surface],
    ['error.type', node.errorCode],
    ['gen_ai.request.model', node.model],
  ]
  const numbers: readonly (readonly [string, number | undefined])[] = [
    ['toolcrib.version', node.version],
    ['toolcrib.attempts', node.attempts],
    ['gen_ai.usage.input_tokens', node.tokens?.input],
    ['gen_ai.usage.output_tokens', node.tokens?.output],
  ]
  return [
    ...texts.flatMap(([key, value]) => (value === undefined ? [] : [text(key, value)])),
    ...numbers.flatMap(([key, value]) =>
      value === undefined ? [] : [{ key, value: { intValue: String(value) } }],
    ),
  ]
}

function text(key: string, value: string): object {
  return { key, value: { stringValue: value } }
}

/** Nanoseconds are more than a number holds. */
function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}

/** Ids are hexadecimal numbers of a fixed length: taken from a digest, so that the same step has the same one. */
async function hexOf(id: string, bytes: number): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id))
  return [...new Uint8Array(digest, 0, bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
