// Try the tool: the form, the call as it happens, and what came of it.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Example, Tool } from '../../api/types.ts'
import { checkValue, type Fault } from '../../form/check-value.ts'
import { initialValue } from '../../form/initial-value.ts'
import { SchemaForm } from '../../form/schema-form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { route } from '../../state/route.ts'
import { CallView } from './call-view.tsx'
import { CopyAs } from './copy-as.tsx'
import { Examples } from './examples.tsx'
import { useCall } from './use-call.ts'

function faultsIn(details: unknown): unknown {
  return (details as { readonly violations?: unknown } | undefined)?.violations
}

const noParams = { type: 'object', properties: {}, additionalProperties: false }

export function TryTool({ tool }: { tool: Tool }) {
  const schema = tool.params ?? noParams
  const [value, setValue] = useState<unknown>(() => givenParams() ?? initialValue(schema, schema, true))
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [isRaw, setRaw] = useState(false)
  const [broken, setBroken] = useState<string | null>(null)
  const [example, setExample] = useState<Example | null>(null)
  const { state, run, cancel } = useCall(tool.id)
  const panel = useRef<HTMLDivElement>(null)

  const start = async (params: unknown, from: Example | null) => {
    setExample(from)
    const found = checkValue(schema, params, schema)
    setFaults(found)
    if (found.length > 0) {
      focusFirstFault(panel.current)
      return
    }
    const outcome = await run(params)
    const refused =
      outcome && !outcome.ok && outcome.error.code === 'PARAMS_INVALID'
        ? faultsIn(outcome.error.details)
        : null
    if (!Array.isArray(refused)) return
    setFaults(refused as unknown as Fault[])
    focusFirstFault(panel.current)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || state.isRunning || broken) return
    event.preventDefault()
    void start(value, null)
  }
  useEffect(() => {
    // A change of the definition may make the old complaints void.
    setFaults([])
  }, [tool.source.digest])

  return (
    <div class="try" ref={panel}>
      <form
        class="card"
        noValidate
        onKeyDown={onKeyDown}
        aria-label={`Parameters of ${tool.id}`}
        onSubmit={(event) => {
          event.preventDefault()
          if (!state.isRunning && !broken) void start(value, null)
        }}
      >
        <div class="body stack">
          {tool.params === null ? (
            <p class="muted">This tool takes no parameters.</p>
          ) : (
            <SchemaForm
              id="params"
              schema={schema}
              value={value}
              onChange={(next) => {
                setValue(next)
                if (faults.length > 0) setFaults(checkValue(schema, next, schema))
              }}
              faults={faults}
              isRaw={isRaw}
              onRaw={setRaw}
              onBroken={setBroken}
            />
          )}
          <div class="row wrap">
            <button class="button primary" type="submit" disabled={state.isRunning || broken !== null}>
              <Icon name="play" /> Run
            </button>
            {state.isRunning && (
              <button class="button danger" type="button" onClick={cancel}>
                <Icon name="stop" /> Cancel
              </button>
            )}
            <span class="grow" />
            <CopyAs tool={tool} params={value} />
          </div>
        </div>
      </form>
      <CallView state={state} example={example} />
      <Examples
        tool={tool}
        isBusy={state.isRunning}
        onUse={(params) => {
          setValue(params)
          setFaults([])
        }}
        onRun={(chosen) => {
          setValue(chosen.params)
          void start(chosen.params, chosen)
        }}
      />
    </div>
  )
}

/** Parameters a link brings along: a run that is to be made again. */
function givenParams(): unknown {
  const text = route.value.query.get('params')
  if (!text) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function focusFirstFault(panel: HTMLElement | null): void {
  requestAnimationFrame(() => panel?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
