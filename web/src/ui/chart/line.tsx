// A line over time, with a gap for every unknown value.
import { line } from 'd3-shape'
import styles from './chart.module.css'
import type { Scales } from './scales.ts'

const POINT_RADIUS = 3

export interface Point {
  at: number
  /** Null if unknown. */
  value: number | null
  label: string
}

interface LineProps {
  points: readonly Point[]
  scales: Scales
  height: number
}

export function Line({ points, scales, height }: LineProps) {
  const toY = (value: number | null) => scales.toY(Math.max(0, value ?? 0))
  const path = line<Point>()
    .defined(({ value }) => value !== null)
    .x(({ at }) => scales.toX(at))
    .y(({ value }) => toY(value))([...points])
  return (
    <>
      <svg
        className={styles.plot}
        viewBox={`0 0 100 ${height}`}
        height={height}
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        {path !== null && <path className={styles.line} d={path} vectorEffect="non-scaling-stroke" />}
      </svg>
      {points.map(
        ({ at, value, label }) =>
          value !== null && (
            <circle
              key={at}
              className={styles.point}
              cx={`${scales.toX(at)}%`}
              cy={toY(value)}
              r={POINT_RADIUS}
            >
              <title>{label}</title>
            </circle>
          ),
      )}
    </>
  )
}
