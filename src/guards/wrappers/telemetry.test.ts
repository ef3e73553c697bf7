// Spans as a real OpenTelemetry SDK collects them.
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { makePrincipal } from '../../tool/principal.ts'

const exporter = new InMemorySpanExporter()

async function crib() {
  const root = tempFolder()
  const opened = await openCrib({ root, env: { HOME: root } })
  onTestFinished(() => opened.close())
  opened.addTools([
    { id: 'math/add', description: 'Adds', params: { type: 'object' }, fn: () => 3 },
    {
      id: 'boom',
      fn: () => {
        throw new Error('it broke')
      },
    },
  ])
  opened.addTool({
    id: 'outer',
    fn: (_params, attempt) => attempt.invoke('math/add', { secret: 'value-of-args' }),
  })
  return opened
}

function collect(): void {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  trace.setGlobalTracerProvider(provider)
}

afterEach(() => {
  trace.disable()
  exporter.reset()
})

it('makes no spans without an SDK', async () => {
  expect(await (await crib()).call('math/add')).toMatchObject({ ok: true })
  expect(exporter.getFinishedSpans()).toEqual([])
})

it('makes one span per call, under that of the calling tool and of the client, without arguments', async () => {
  collect()
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  await (await crib()).call(
    'outer',
    {},
    {
      principal: makePrincipal({ surface: 'mcp', name: 'ada' }),
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
  )
  const [inner, outer] = exporter.getFinishedSpans()
  expect(outer).toMatchObject({
    name: 'execute_tool outer',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'outer',
      'mcp.method.name': 'tools/call',
      'toolcrib.surface': 'mcp',
    },
    parentSpanContext: { traceId, spanId: 'b7ad6b7169203331' },
  })
  expect(inner).toMatchObject({
    name: 'execute_tool math_add',
    parentSpanContext: { spanId: outer!.spanContext().spanId },
  })
  expect(JSON.stringify([inner!.attributes, outer!.attributes])).not.toContain('value-of-args')
})

it('marks a failed call with its code', async () => {
  collect()
  await (await crib()).call('boom')
  expect(exporter.getFinishedSpans()).toMatchObject([
    { attributes: { 'error.type': 'TOOL_FAILED' }, status: { code: 2, message: 'it broke' } },
  ])
})
