// A value as a tree that opens where one looks. Built from `details`, so the keyboard works by itself.

interface TreeProps {
  readonly value: unknown
  readonly name?: string
  readonly depth?: number
}

const mostChildren = 200

export function JsonTree({ value, name, depth = 0 }: TreeProps) {
  if (typeof value !== 'object' || value === null)
    return (
      <div class="tree-leaf">
        <Name name={name} />
        <Scalar value={value} />
      </div>
    )
  const entries = Object.entries(value)
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0)
    return (
      <div class="tree-leaf">
        <Name name={name} />
        <span class="muted">{Array.isArray(value) ? '[]' : '{}'}</span>
      </div>
    )
  return (
    <details class="tree" open={depth < 2}>
      <summary>
        <Name name={name} />
        <span class="muted">{kind}</span>
      </summary>
      <div class="tree-children">
        {entries.slice(0, mostChildren).map(([key, child]) => (
          <JsonTree key={key} name={key} value={child} depth={depth + 1} />
        ))}
        {entries.length > mostChildren && (
          <div class="tree-leaf muted">and {entries.length - mostChildren} more</div>
        )}
      </div>
    </details>
  )
}

function Name({ name }: { name: string | undefined }) {
  return name === undefined ? null : <span class="j-key mono">{name}: </span>
}

function Scalar({ value }: { value: unknown }) {
  const kind = typeof value === 'string' ? 'j-string' : typeof value === 'number' ? 'j-number' : 'j-word'
  return <span class={`mono ${kind}`}>{typeof value === 'string' ? value : String(value)}</span>
}
