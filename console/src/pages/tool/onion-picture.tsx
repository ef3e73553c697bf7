// The onion drawn as boxes in boxes: outermost is what a call meets first; in the middle the tool runs.
import type { LayerRefusal, OnionLayer } from '../../api/types.ts'

const questions: Record<string, string> = {
  trace: 'Which run is this? Recorded in any case',
  ready: 'Is the tool able to run?',
  trust: 'Who vouches for it?',
  lock: 'Is it still what was approved?',
  grants: 'May it do what it needs?',
  'allowed-tools': 'May this caller call it?',
  allowedTools: 'May this caller call it?',
  params: 'Are the parameters right?',
  config: 'With which settings?',
  secrets: 'Which secrets does it get?',
  approve: 'Does a person agree?',
  limits: 'How long may it take?',
  retry: 'Once more after a failure?',
  returns: 'Is the result what was promised?',
  delegate: 'Does another tool do the work?',
  execute: 'Hand it to the runtime',
  cascade: 'The cascade is broken: nothing runs',
}

interface OnionProps {
  readonly layers: readonly OnionLayer[]
  readonly refusals: readonly LayerRefusal[]
  readonly runtime: string
}

export function OnionPicture({ layers, refusals, runtime, tool }: OnionProps & { readonly tool: string }) {
  const shown = layers.filter((layer) => layer.kind !== 'place')
  return (
    <div
      class="onion"
      role="group"
      aria-label={`What a call of ${tool} passes: ${shown.map((layer) => layer.name).join(', ')}`}
    >
      <Layer layers={shown} refusals={refusals} runtime={runtime} />
    </div>
  )
}

function Layer({ layers, refusals, runtime }: OnionProps) {
  const [layer, ...inner] = layers
  if (!layer)
    return (
      <div class="onion-core">
        <strong>{runtime}</strong>
        <span>runtime</span>
      </div>
    )
  return (
    <div class="onion-layer" data-kind={layer.kind}>
      <div class="onion-name">
        <strong>{layer.name}</strong>
        <span>{wordsFor(layer)}</span>
      </div>
      {refusals
        .filter(({ check }) => check === layer.name)
        .map(({ code, message }) => (
          <p key={code} class="onion-refusal">
            <strong>{code}</strong> {message}
          </p>
        ))}
      <Layer layers={inner} refusals={refusals} runtime={runtime} />
    </div>
  )
}

function wordsFor(layer: OnionLayer): string {
  if (layer.kind === 'middleware')
    return `runs ${layer.tool}${layer.declaredBy ? `, set by ${layer.declaredBy}` : ''}`
  return questions[layer.name] ?? (layer.kind === 'hook' ? 'hooks of the skill' : 'guard')
}
