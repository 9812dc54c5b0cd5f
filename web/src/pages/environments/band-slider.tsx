// A band that moves through history by keyboard, click or drag.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { Band, type BandCell } from './band.tsx'
import { computeWidths, findCellAt } from './band-widths.ts'

interface BandSliderProps {
  label: string
  cells: readonly BandCell[]
  height: number
  hasDetail: boolean
  latest: number
  selected: number
  /** Describes the selected snapshot to screen readers. */
  text: string
  /** The snapshot that a key leads to; undefined for other keys. */
  getTarget: (key: string) => number | undefined
  onSelect: (index: number) => void
}

export function BandSlider(props: BandSliderProps) {
  const { label, cells, height, hasDetail, latest, selected, text, getTarget, onSelect } = props
  const ref = useRef<HTMLDivElement>(null)
  const go = (index: number | null | undefined) => {
    if (typeof index === 'number' && index !== selected) onSelect(index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // The browser uses these combinations itself.
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const target = getTarget(event.key)
    if (target === undefined) return
    event.preventDefault()
    go(Math.min(latest, Math.max(1, target)))
  }
  const onPointer = (event: PointerEvent) => {
    if (event.buttons !== 1 || ref.current === null) return
    const { left, width } = ref.current.getBoundingClientRect()
    const widths = computeWidths(cells.map(({ weight = 1 }) => weight))
    go(cells[findCellAt(widths, (event.clientX - left) / width)]?.index)
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
      onPointerDown={event => {
        // Dragging continues outside the band.
        event.currentTarget.setPointerCapture(event.pointerId)
        onPointer(event)
      }}
      onPointerMove={onPointer}
    >
      <Band cells={cells} height={height} hasMarks hasDetail={hasDetail} />
    </div>
  )
}
