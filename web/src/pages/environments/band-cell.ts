// The cells of a band: what each shows, and where it leads.

/** A part of a cell, stacked vertically. */
export interface Layer {
  state: boolean | null
  is_stale?: boolean
  share: number
}

export interface BandCell {
  /** The snapshot it leads to; null before the first snapshot. */
  index: number | null
  /** From the bottom up; shares add up to 1. Empty if nothing was known. */
  layers: readonly Layer[]
  /** How long it lasted: the wider, the longer. Cells without a weight are equally wide. */
  weight?: number
  deployments: number
  label: string
  isSelected: boolean
  /** Whether the detailed band below covers it. */
  isDetailed: boolean
  /** Whether it is in the chosen range. */
  isChosen?: boolean
}
