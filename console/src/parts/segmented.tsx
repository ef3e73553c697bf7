// A few choices side by side, one of them pressed.

interface SegmentedProps<T extends string> {
  readonly label: string
  readonly options: readonly (readonly [NoInfer<T>, string])[]
  readonly chosen: T
  readonly onChoose: (value: NoInfer<T>) => void
}

export function Segmented<T extends string>({ label, options, chosen, onChoose }: SegmentedProps<T>) {
  return (
    <div class="segmented" role="group" aria-label={label}>
      {options.map(([value, text]) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {text}
        </button>
      ))}
    </div>
  )
}
