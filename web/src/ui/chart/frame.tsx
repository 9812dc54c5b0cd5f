// The frame of every chart: axes, lines and marks. It draws an image with a text for screen readers; whoever
// shows a chart also shows its figures as a table.
import { type ReactNode, useMemo } from 'react'
import type { TimeZone } from '../local-time.ts'
import styles from './chart.module.css'
import { buildScales, type Scales } from './scales.ts'

const HEIGHT = 180
const TOP = 8
const MARKS_HEIGHT = 18
const AXIS_HEIGHT = 20
const LABEL_WIDTH = 52
const MARK_RADIUS = 8
/** Nearer to an edge, a label is aligned to its end instead of centred. */
const EDGE_PERCENT = 5

/** An event at a time. */
interface ChartMark {
  at: number
  /** A few characters. */
  text: string
  label: string
}

interface ChartFrameProps {
  /** Describes the chart, with its most important figures. */
  label: string
  from: number
  to: number
  max: number
  zone: TimeZone
  formatValue: (value: number) => string
  marks?: readonly ChartMark[]
  /** Draws the data, between 0 and `height` pixels. */
  children: (scales: Scales, height: number) => ReactNode
}

export function ChartFrame({
  label,
  from,
  to,
  max,
  zone,
  formatValue,
  marks = [],
  children,
}: ChartFrameProps) {
  const scales = useMemo(() => buildScales({ from, to, max, height: HEIGHT, zone }), [from, to, max, zone])
  const top = TOP + (marks.length > 0 ? MARKS_HEIGHT : 0)
  const height = top + HEIGHT + AXIS_HEIGHT
  return (
    <div role="img" aria-label={label} className={styles.chart}>
      <svg width={LABEL_WIDTH} height={height} aria-hidden="true" focusable="false">
        {scales.values.map(value => (
          <text
            key={value}
            className={styles.label}
            x={LABEL_WIDTH - 8}
            y={top + scales.toY(value)}
            dy="0.32em"
            textAnchor="end"
          >
            {formatValue(value)}
          </text>
        ))}
      </svg>
      <svg className={styles.plot} height={height} aria-hidden="true" focusable="false">
        <svg y={top} overflow="visible" aria-hidden="true" focusable="false">
          {scales.values.map(value => (
            <line
              key={value}
              className={styles.grid}
              x2="100%"
              y1={scales.toY(value)}
              y2={scales.toY(value)}
            />
          ))}
          {children(scales, HEIGHT)}
          {scales.times.map(({ at, label: time }) => (
            <TimeLabel key={at} x={scales.toX(at)} text={time} />
          ))}
        </svg>
        {marks.map(mark => (
          <Mark key={`${mark.at} ${mark.text}`} mark={mark} x={scales.toX(mark.at)} bottom={top + HEIGHT} />
        ))}
      </svg>
    </div>
  )
}

function TimeLabel({ x, text }: { x: number; text: string }) {
  const anchor = x < EDGE_PERCENT ? 'start' : x > 100 - EDGE_PERCENT ? 'end' : 'middle'
  return (
    <>
      <line className={styles.tick} x1={`${x}%`} x2={`${x}%`} y1={HEIGHT} y2={HEIGHT + 4} />
      <text className={styles.label} x={`${x}%`} y={HEIGHT + 16} textAnchor={anchor}>
        {text}
      </text>
    </>
  )
}

function Mark({ mark, x, bottom }: { mark: ChartMark; x: number; bottom: number }) {
  return (
    <g className={styles.mark}>
      <title>{mark.label}</title>
      <line x1={`${x}%`} x2={`${x}%`} y1={MARK_RADIUS} y2={bottom} />
      <circle cx={`${x}%`} cy={MARK_RADIUS + 1} r={MARK_RADIUS} />
      <text x={`${x}%`} y={MARK_RADIUS + 1} dy="0.34em" textAnchor="middle">
        {mark.text}
      </text>
    </g>
  )
}
