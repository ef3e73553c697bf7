// A small chart over time, drawn by uPlot in the colours of the theme.
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { theme } from '../state/theme.ts'

export interface Series {
  readonly name: string
  /** Name of a colour of the theme, `--accent`. */
  readonly colour: string
  readonly values: readonly (number | null)[]
  readonly isBar?: boolean
}

interface ChartProps {
  readonly title: string
  /** What the chart shows, in words. */
  readonly summary: string
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly unit?: string
}

const height = 130

export function Chart({ title, summary, times, series, unit = '' }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const data = [times, ...series.map((each) => each.values)] as unknown as uPlot.AlignedData
  const chosen = theme.value

  useEffect(() => {
    const element = box.current!
    const made = new uPlot(optionsFor(element, series, unit), data, element)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const repaint = () => made.redraw()
    dark.addEventListener('change', repaint)
    return () => {
      dark.removeEventListener('change', repaint)
      observer.disconnect()
      made.destroy()
    }
  }, [chosen])

  useEffect(() => plot.current?.setData(data), [times, ...series.map((each) => each.values)])

  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong> <span class="muted">{summary}</span>
      </figcaption>
      <div ref={box} role="img" aria-label={`${title} over time: ${summary}`} />
    </figure>
  )
}

function optionsFor(element: HTMLElement, series: readonly Series[], unit: string): uPlot.Options {
  // Asked at every drawing, so that a change of the theme is followed.
  const colour = (name: string) => () => resolvedColour(element, name)
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1, size: 4 },
    font: '11px system-ui, sans-serif',
  }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    padding: [8, 24, 0, 0],
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(max, 1)] } },
    axes: [
      { ...axis, size: 26, space: 70 },
      {
        ...axis,
        size: 52,
        values: (_plot, ticks) => ticks.map((tick) => `${short(tick)}${unit ? ` ${unit}` : ''}`),
      },
    ],
    series: [
      {},
      ...series.map((each) => ({
        label: each.name,
        stroke: colour(each.colour),
        width: each.isBar ? 0 : 1.5,
        spanGaps: true,
        points: { show: !each.isBar, size: 4, stroke: colour(each.colour), fill: colour(each.colour) },
        ...(each.isBar ? { fill: colour(each.colour), paths: uPlot.paths.bars!({ size: [0.8, 30] }) } : {}),
      })),
    ],
  }
}

function short(value: number): string {
  if (value >= 10_000) return `${Math.round(value / 1000)}k`
  return Number.isInteger(value) ? String(value) : value.toFixed(1)
}

/** A colour of the theme as the browser computes it; a canvas does not know custom properties. */
function resolvedColour(element: HTMLElement, name: string): string {
  const before = element.style.color
  element.style.color = `var(${name})`
  const colour = getComputedStyle(element).color
  element.style.color = before
  return colour
}
