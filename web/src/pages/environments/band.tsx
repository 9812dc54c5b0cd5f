// A band of cells, one for each snapshot: colour and pattern tell the compliance, a mark above tells a deployment.
import { Group, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useId } from 'react'
import './environments.css'

export interface BandCell {
  index: number
  state: boolean | null
  /** Its share of the width, next to the others. */
  weight: number
  deployments: number
  label: string
}

const MARKS_HEIGHT = 10
const WIDEST_MARK = 7
const GAP = 1
const WIDEST_GAPPED = 3

interface BandProps {
  cells: readonly BandCell[]
  selected: number | null
  height: number
  hasMarks: boolean
}

export function Band({ cells, selected, height, hasMarks }: BandProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const prefix = useId().replace(/[^a-zA-Z0-9]/g, '')
  const top = hasMarks ? MARKS_HEIGHT : 0
  const placed = placeCells(cells, width)
  return (
    <div ref={ref}>
      <svg className="band" height={height + top + 2} width={width} aria-hidden="true" focusable="false">
        <Patterns prefix={prefix} />
        {placed.map(({ cell, x, cell_width }) => (
          <g key={cell.index}>
            <title>{cell.label}</title>
            <rect
              x={x}
              y={top + 1}
              width={cell_width}
              height={height}
              {...(cell.state === true
                ? { className: 'band-compliant' }
                : { fill: `url(#${prefix}-${cell.state === false ? 'hatched' : 'dotted'})` })}
            />
            {hasMarks && cell.deployments > 0 && <Mark x={x + cell_width / 2} room={cell_width} />}
            {cell.index === selected && (
              <rect className="band-selected" x={x} y={top + 1} width={cell_width} height={height} />
            )}
          </g>
        ))}
      </svg>
    </div>
  )
}

function placeCells(cells: readonly BandCell[], width: number) {
  const total = cells.reduce((sum, { weight }) => sum + weight, 0) || 1
  let used = 0
  return cells.map(cell => {
    const x = (used / total) * width
    used += cell.weight
    const whole = (cell.weight / total) * width
    return { cell, x, cell_width: Math.max(whole > WIDEST_GAPPED ? whole - GAP : whole, 0.5) }
  })
}

function Mark({ x, room }: { x: number; room: number }) {
  const half = Math.min(WIDEST_MARK, room) / 2
  return <path className="band-mark" d={`M ${x - half} 1 L ${x + half} 1 L ${x} ${MARKS_HEIGHT - 2} Z`} />
}

function Patterns({ prefix }: { prefix: string }) {
  return (
    <defs>
      <pattern id={`${prefix}-hatched`} width="6" height="6" patternUnits="userSpaceOnUse">
        <rect className="band-non-compliant" width="6" height="6" />
        <path className="band-over" d="M -1 7 L 7 -1" />
      </pattern>
      <pattern id={`${prefix}-dotted`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect className="band-unknown" width="5" height="5" />
        <circle className="band-dot" cx="2.5" cy="2.5" r="1" />
      </pattern>
    </defs>
  )
}

/** What the patterns mean, in words. */
export function BandLegend() {
  const prefix = useId().replace(/[^a-zA-Z0-9]/g, '')
  const kinds = [
    { word: 'COMPLIANT', look: { className: 'band-compliant' } },
    { word: 'NON-COMPLIANT', look: { fill: `url(#${prefix}-hatched)` } },
    { word: 'UNKNOWN', look: { fill: `url(#${prefix}-dotted)` } },
  ]
  return (
    <Group gap="md" aria-hidden="true">
      {kinds.map(({ word, look }) => (
        <Group key={word} gap={6} wrap="nowrap">
          <svg width="16" height="12" focusable="false" aria-hidden="true">
            <Patterns prefix={prefix} />
            <rect width="16" height="12" {...look} />
          </svg>
          <Text size="xs">{word}</Text>
        </Group>
      ))}
      <Group gap={6} wrap="nowrap">
        <svg width="9" height="10" focusable="false" aria-hidden="true">
          <Mark x={4.5} room={9} />
        </svg>
        <Text size="xs">Deployment</Text>
      </Group>
    </Group>
  )
}
