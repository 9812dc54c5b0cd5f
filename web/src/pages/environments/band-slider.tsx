// A band for moving through history by keyboard, click or drag. With Shift, the same actions select a range.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { Band } from './band.tsx'
import type { BandCell } from './band-cell.ts'
import { type CellRange, computeWidths, extendRange, findCellAt, spanRange } from './band-widths.ts'

const PAGE_STEP = 10
/** How many snapshots one key press moves. */
export const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -PAGE_STEP,
  PageUp: PAGE_STEP,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

interface BandSliderProps {
  label: string
  cells: readonly BandCell[]
  height: number
  hasDetail: boolean
  latest: number
  selected: number
  /** Describes the selected snapshot to screen readers. */
  text: string
  /** The snapshot that a key moves to; undefined for other keys. */
  getTarget: (key: string) => number | undefined
  onSelect: (index: number) => void
  /** The selected cells, if ranges can be selected. */
  range?: CellRange | null
  onRange?: (range: CellRange | null) => void
}

export function BandSlider(props: BandSliderProps) {
  const { label, cells, height, hasDetail, latest, selected, text, getTarget, onSelect } = props
  const { range = null, onRange } = props
  const ref = useRef<HTMLDivElement>(null)
  const anchor = useRef<number | null>(null)
  const go = (index: number | null | undefined) => {
    if (typeof index === 'number' && index !== selected) onSelect(index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // The browser uses these combinations itself.
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (onRange && event.key === 'Escape' && range !== null) return onRange(null)
    if (onRange && event.shiftKey) {
      const at = cells.findLastIndex(({ isSelected }) => isSelected)
      const extended = extendRange(range, event.key, at, cells.length)
      if (extended === undefined) return
      event.preventDefault()
      return onRange(extended)
    }
    const target = getTarget(event.key)
    if (target === undefined) return
    event.preventDefault()
    go(Math.min(latest, Math.max(1, target)))
  }
  const onPointer = (event: PointerEvent) => {
    if (event.buttons !== 1 || ref.current === null) return
    const { left, width } = ref.current.getBoundingClientRect()
    const widths = computeWidths(cells.map(({ weight = 1 }) => weight))
    const at = findCellAt(widths, (event.clientX - left) / width)
    if (anchor.current === null) go(cells[at]?.index)
    else onRange?.(spanRange(anchor.current, at))
  }
  const onPointerDown = (event: PointerEvent) => {
    // Dragging continues outside the band.
    event.currentTarget.setPointerCapture(event.pointerId)
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const widths = computeWidths(cells.map(({ weight = 1 }) => weight))
    anchor.current = onRange && event.shiftKey ? findCellAt(widths, (event.clientX - left) / width) : null
    onPointer(event)
  }
  return (
    <div
      ref={ref}
      className="band-slider"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={latest}
      aria-valuenow={selected}
      aria-valuetext={text}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointer}
    >
      <Band
        cells={cells.map((cell, at) =>
          range !== null && at >= range.first && at <= range.last ? { ...cell, isChosen: true } : cell,
        )}
        height={height}
        hasMarks
        hasDetail={hasDetail}
      />
    </div>
  )
}
