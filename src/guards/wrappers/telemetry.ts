// One OpenTelemetry span per call, by the conventions for tools of generative AI and for MCP. Nothing is loaded
// and nothing is spent unless the process has an OpenTelemetry SDK registered. Names and codes go into a span,
// arguments and results never.
import { createRequire } from 'node:module'
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api'
import { version } from '../../config/version.ts'
import type { Call } from '../../kernel/call.ts'
import { errorData } from '../../tool/tool-error.ts'

type Api = typeof import('@opentelemetry/api')

const registered = Symbol.for('opentelemetry.js.api.1')
const require = createRequire(import.meta.url)
const spans = new WeakMap<Call, Span>()
let loaded: { readonly api: Api; readonly tracer: Tracer } | undefined

function load(): NonNullable<typeof loaded> {
  const api = require('@opentelemetry/api') as Api
  return { api, tracer: api.trace.getTracer('toolcrib', version()) }
}

/** Starts the span of a call; the function given back ends it. Undefined when nobody collects spans. */
export function startSpan(call: Call): (() => void) | undefined {
  const globals = globalThis as { [registered]?: { readonly trace?: unknown } }
  if (!globals[registered]?.trace) return undefined
  loaded ??= load()
  const { api, tracer } = loaded
  const isOuter = call.principal.surface === 'mcp' || call.principal.surface === 'http'
  const kind = isOuter ? api.SpanKind.SERVER : api.SpanKind.INTERNAL
  const name = `execute_tool ${call.tool.name}`
  const span = tracer.startSpan(name, { kind, attributes: attributesOf(call) }, parentOf(api, call))
  spans.set(call, span)
  return () => {
    if (call.error !== undefined) {
      const { code, message } = errorData(call.error)
      span.setAttribute('error.type', code)
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: call.scrubber.text(message) })
    }
    span.end()
  }
}

function attributesOf(call: Call): Attributes {
  const { tool, principal } = call
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': call.id,
    'gen_ai.tool.description': tool.description ? tool.description.slice(0, 1_000) : undefined,
    'mcp.method.name': principal.surface === 'mcp' ? 'tools/call' : undefined,
    'toolcrib.tool.id': tool.id,
    'toolcrib.tool.format': tool.format,
    'toolcrib.surface': principal.surface,
  }
}

/** The span of the calling tool, what the client sent along, or whatever is active. */
function parentOf(api: Api, call: Call): Context {
  const active = api.context.active()
  const above = call.parent && spans.get(call.parent)
  if (above) return api.trace.setSpan(active, above)
  const remote = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(call.options.traceparent ?? '')
  if (!remote) return active
  const [, traceId, spanId, flags] = remote as unknown as [string, string, string, string]
  return api.trace.setSpanContext(active, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  })
}
