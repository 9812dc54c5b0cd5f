// Gaps in the reports of an environment: splits a snapshot's cell into reported time and gaps.
import type { BandCell } from './band-cell.ts'
import { historyTexts as texts } from './texts-history.ts'

export interface Silence {
  from: number
  to: number | null
}

/** Splits a snapshot's cell into the reported time and each gap. */
export function splitAtSilences(
  cell: BandCell,
  { from, to }: { from: number; to: number },
  silences: readonly Silence[],
  now: number,
): BandCell[] {
  const end = to === 0 ? now : to
  const cells: BandCell[] = []
  let at = from
  for (const silence of silences) {
    const begins = Math.max(at, silence.from)
    const ends = Math.min(end, silence.to ?? now)
    if (begins >= ends) continue
    if (begins > at) cells.push(paint(cell, false, begins - at))
    const label = texts.timeline.silent(
      formatTime(silence.from),
      silence.to === null ? null : formatTime(silence.to),
    )
    cells.push({ ...paint(cell, true, ends - begins), label })
    at = ends
  }
  if (at < end || cells.length === 0) cells.push(paint(cell, false, Math.max(0, end - at)))
  // Marks a deployment only once.
  return cells.map((each, i) => (i === 0 ? each : { ...each, deployments: 0 }))
}

function paint(cell: BandCell, is_stale: boolean, weight: number): BandCell {
  return { ...cell, weight, layers: cell.layers.map(layer => ({ ...layer, is_stale })) }
}

const formatTime = (at: number) => new Date(at * 1000).toLocaleString()
