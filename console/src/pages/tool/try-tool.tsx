// Try the tool: the form, the call as it happens, and what came of it.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Example, Tool } from '../../api/types.ts'
import { checkValue, type Fault } from '../../form/check-value.ts'
import { initialValue } from '../../form/initial-value.ts'
import { pastedParams } from '../../form/pasted-params.ts'
import { SchemaForm } from '../../form/schema-form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { LatestRuns } from '../../parts/latest-runs.tsx'
import { beginCall, callOf, cancelRun, wantedRun } from '../../state/calls.ts'
import { draftOf, keepDraft } from '../../state/drafts.ts'
import { keepInput } from '../../state/inputs.ts'
import { announce } from '../../state/notices.ts'
import { route } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { CallView } from './call-view.tsx'
import { CopyAs } from './copy-as.tsx'
import { Examples } from './examples.tsx'
import { InputHistory } from './input-history.tsx'
import { PlanButton } from './plan-dialog.tsx'
import { PromptCard } from './prompt-card.tsx'
import { ToolPermit, useToolPermit } from './tool-permit.tsx'

function faultsIn(details: unknown): unknown {
  return (details as { readonly violations?: unknown } | undefined)?.violations
}

const mostLatest = 6
const noParams = { type: 'object', properties: {}, additionalProperties: false }

export function TryTool({ tool }: { tool: Tool }) {
  const schema = tool.params ?? noParams
  const [value, setValue] = useState<unknown>(
    () => givenParams() ?? draftOf(tool.id) ?? initialValue(schema, schema, true),
  )
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [isRaw, setRaw] = useState(false)
  const [broken, setBroken] = useState<string | null>(null)
  const [example, setExample] = useState<Example | null>(null)
  const state = callOf(tool.id).value
  const [isTouched, setTouched] = useState(false)
  const permit = useToolPermit(tool, value)
  const stop = permit?.stops.find(({ name, verdict }) => verdict === 'stops' && name !== 'params')
  const panel = useRef<HTMLDivElement>(null)

  const start = async (params: unknown, from: Example | null) => {
    setExample(from)
    const found = checkValue(schema, params, schema)
    setTouched(true)
    setFaults(found)
    if (found.length > 0) {
      focusFirstFault(panel.current)
      return
    }
    keepInput(tool.id, params)
    await beginCall(tool.id, params)
  }
  const { outcome } = state
  useEffect(() => {
    const refused =
      outcome && !outcome.ok && outcome.error.code === 'PARAMS_INVALID'
        ? faultsIn(outcome.error.details)
        : null
    if (!Array.isArray(refused)) return
    setFaults(refused as unknown as Fault[])
    focusFirstFault(panel.current)
  }, [outcome])
  useEffect(() => keepDraft(tool.id, value), [value])
  const canRun = tool.state === 'available' && !state.isRunning && broken === null && !stop
  useEffect(() => {
    if (wantedRun.value !== tool.id || !permit) return
    wantedRun.value = null
    if (canRun) void start(value, null)
  }, [wantedRun.value, permit])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !canRun) return
    event.preventDefault()
    void start(value, null)
  }
  const fill = (params: unknown) => {
    setValue(params)
    setFaults([])
    setRaw(false)
  }
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const target = event.target as HTMLElement
      // What is pasted into another form or into a text of JSON belongs there.
      if (target.closest('dialog') || (target.matches('textarea, input') && !panel.current?.contains(target)))
        return
      const params = pastedParams(event.clipboardData?.getData('text/plain') ?? '', schema)
      if (!params) return
      event.preventDefault()
      fill(params)
      announce(say('The form is filled with the JSON that was pasted.'))
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  }, [tool.id])
  useEffect(() => {
    // A change of the definition may make the old complaints void.
    setFaults([])
  }, [tool.source.digest])

  return (
    <div class="try" ref={panel}>
      <ToolPermit tool={tool} permit={permit} isTouched={isTouched} />
      <div class="try-columns">
        <form
          class="card try-form"
          noValidate
          onKeyDown={onKeyDown}
          aria-label={say('Parameters of {tool}', { tool: tool.id })}
          onSubmit={(event) => {
            event.preventDefault()
            if (canRun) void start(value, null)
          }}
        >
          <div class="body stack">
            {tool.params === null ? (
              <p class="muted">{say('This tool takes no parameters.')}</p>
            ) : (
              <SchemaForm
                id="params"
                schema={schema}
                value={value}
                onChange={(next) => {
                  setValue(next)
                  setTouched(true)
                  if (faults.length > 0) setFaults(checkValue(schema, next, schema))
                }}
                faults={faults}
                isRaw={isRaw}
                onRaw={setRaw}
                onBroken={setBroken}
              />
            )}
          </div>
          <div class="run-bar row wrap">
            <button class="button primary" type="submit" disabled={!canRun} title="Ctrl Enter">
              <Icon name="play" /> {say('Run')}
            </button>
            {state.isRunning && (
              <button
                class="button danger"
                type="button"
                onClick={() => state.runId && void cancelRun(state.runId)}
              >
                <Icon name="stop" /> {say('Cancel')}
              </button>
            )}
            <span class="grow" />
            <PlanButton tool={tool} params={value} />
            <CopyAs tool={tool} params={value} />
          </div>
        </form>
        <div class="stack">
          <CallView state={state} example={example} tool={tool} />
          {permit?.prompt && <PromptCard prompt={permit.prompt} />}
          <Examples
            tool={tool}
            isBusy={state.isRunning}
            onUse={fill}
            onRun={(chosen) => {
              setValue(chosen.params)
              void start(chosen.params, chosen)
            }}
          />
          <InputHistory key={state.runId} tool={tool.id} onUse={fill} />
          <LatestRuns tool={tool.id} most={mostLatest} />
        </div>
      </div>
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
