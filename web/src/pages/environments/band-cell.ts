// The cells of a band: what each one shows, and where it links to.

/** A part of a cell, stacked vertically. */
export interface Layer {
  state: boolean | null
  is_stale?: boolean
  share: number
}

export interface BandCell {
  /** The snapshot that it links to; null before the first snapshot. */
  index: number | null
  /** From bottom to top; shares add up to 1. Empty if nothing was known. */
  layers: readonly Layer[]
  /** The duration; longer cells are wider. Cells without a weight are equally wide. */
  weight?: number
  deployments: number
  label: string
  isSelected: boolean
  /** Whether the detailed band below covers it. */
  isDetailed: boolean
  /** Whether it is in the chosen range. */
  isChosen?: boolean
}
