// A band of cells, each a snapshot or a time span. Colour and pattern show compliance, a mark above shows a deployment.
import { useId } from 'react'
import type { BandCell, Layer } from './band-cell.ts'
import { Mark, Patterns, toPatternsPrefix } from './band-look.tsx'
import { computeStarts, computeWidths } from './band-widths.ts'
import './environments.css'

const MARKS_HEIGHT = 10
const DETAIL_HEIGHT = 5

interface BandProps {
  cells: readonly BandCell[]
  height: number
  hasMarks: boolean
  hasDetail: boolean
}

/** Relative widths, so that the band does not need to be measured. */
const toPercent = (share: number) => `${share * 100}%`

export function Band({ cells, height, hasMarks, hasDetail }: BandProps) {
  const prefix = toPatternsPrefix(useId())
  const top = (hasMarks ? MARKS_HEIGHT : 0) + 1
  const widths = computeWidths(cells.map(({ weight = 1 }) => weight))
  const starts = computeStarts(widths)
  return (
    <svg
      className="band"
      height={height + top + 1 + (hasDetail ? DETAIL_HEIGHT : 0)}
      aria-hidden="true"
      focusable="false"
    >
      <Patterns prefix={prefix} />
      {cells.map((cell, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place in the band
        <g key={position}>
          <title>{cell.label}</title>
          <Cell
            layers={cell.layers}
            at={starts[position] ?? 0}
            step={widths[position] ?? 0}
            y={top}
            height={height}
            prefix={prefix}
          />
          {hasMarks && cell.deployments > 0 && (
            <svg
              x={toPercent((starts[position] ?? 0) + (widths[position] ?? 0) / 2)}
              overflow="visible"
              aria-hidden="true"
              focusable="false"
            >
              <Mark x={0} among={cells.length} height={MARKS_HEIGHT} />
            </svg>
          )}
        </g>
      ))}
      {hasDetail && (
        <Span
          cells={cells}
          widths={widths}
          which="isDetailed"
          className="band-detail"
          y={top + height + 3}
          height={2}
        />
      )}
      <Span cells={cells} widths={widths} which="isChosen" className="band-chosen" y={top} height={height} />
      <Span
        cells={cells}
        widths={widths}
        which="isSelected"
        className="band-selected"
        y={top}
        height={height}
      />
    </svg>
  )
}

interface CellProps {
  layers: readonly Layer[]
  at: number
  step: number
  y: number
  height: number
  prefix: string
}

function Cell({ layers, at, step, y, height, prefix }: CellProps) {
  const box = { x: toPercent(at), width: toPercent(step) }
  if (layers.length === 0) return <rect className="band-nothing" {...box} y={y} height={height} />
  let below = 0
  return layers.map(({ state, is_stale = false, share }) => {
    below += share
    // Nobody knows whether a stale environment is still compliant.
    const isGreen = state === true && !is_stale
    const pattern = state === false ? 'hatched' : is_stale ? 'lined' : 'dotted'
    return (
      <rect
        key={`${state} ${is_stale}`}
        {...box}
        y={y + (1 - below) * height}
        height={share * height}
        className={isGreen ? 'band-cell band-compliant' : 'band-cell'}
        {...(!isGreen && { fill: `url(#${prefix}-${pattern})` })}
      />
    )
  })
}

interface SpanProps {
  cells: readonly BandCell[]
  widths: readonly number[]
  which: 'isSelected' | 'isDetailed' | 'isChosen'
  className: string
  y: number
  height: number
}

/** Marks everything from the first to the last cell that has the flag. */
function Span({ cells, widths, which, ...look }: SpanProps) {
  const first = cells.findIndex(cell => cell[which])
  if (first === -1) return null
  const last = cells.findLastIndex(cell => cell[which])
  const sum = (some: readonly number[]) => some.reduce((before, width) => before + width, 0)
  return (
    <rect
      {...look}
      x={toPercent(sum(widths.slice(0, first)))}
      width={toPercent(sum(widths.slice(first, last + 1)))}
    />
  )
}
