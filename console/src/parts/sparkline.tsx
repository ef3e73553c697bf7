// A line without axes: the course of a figure, small enough for a row.
interface SparklineProps {
  readonly values: readonly number[]
  readonly tone?: 'plain' | 'bad'
  readonly label: string
}

const width = 120
const height = 28

export function Sparkline({ values, tone = 'plain', label }: SparklineProps) {
  const most = Math.max(1, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map(
    (value, index) => `${round(index * step)},${round(height - 2 - (value / most) * (height - 4))}`,
  )
  return (
    <svg
      class="sparkline"
      data-tone={tone}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
