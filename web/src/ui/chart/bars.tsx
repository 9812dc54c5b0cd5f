// Stacked bars, one for each time span.
import type { Scales } from './scales.ts'

/** Even the smallest part is visible. */
const MIN_HEIGHT = 2

interface BarPart {
  name: string
  value: number
  /** Its class, and its fill if it has a pattern. */
  look: { className: string; fill?: string }
}

export interface Bar {
  from: number
  to: number
  /** From top to bottom; the last one makes room for small parts above it. */
  parts: readonly BarPart[]
  label: string
}

export function Bars({ bars, scales, height }: { bars: readonly Bar[]; scales: Scales; height: number }) {
  return bars.map(({ from, to, parts, label }) => {
    const x = scales.toX(from)
    return (
      <g key={from}>
        <title>{label}</title>
        {placeParts(parts, scales, height).map(part => (
          <rect
            key={part.name}
            {...part.look}
            x={`${x}%`}
            width={`${scales.toX(to) - x}%`}
            y={part.y}
            height={part.height}
          />
        ))}
        {/* A place to point at, also where there is nothing. */}
        <rect x={`${x}%`} width={`${scales.toX(to) - x}%`} height={height} fill="transparent" />
      </g>
    )
  })
}

interface PlacedPart extends BarPart {
  y: number
  height: number
}

function placeParts(parts: readonly BarPart[], { toY }: Scales, bottom: number): PlacedPart[] {
  const shown = parts.filter(({ value }) => value > 0)
  let y = toY(shown.reduce((sum, { value }) => sum + value, 0))
  return shown.flatMap((part, i) => {
    const isLast = i === shown.length - 1
    const height = isLast ? bottom - y : Math.max(MIN_HEIGHT, bottom - toY(part.value))
    const placed = { ...part, y: Math.min(y, bottom - MIN_HEIGHT), height: Math.max(MIN_HEIGHT, height) }
    y = Math.min(bottom, y + height)
    return [placed]
  })
}
