// The lineage diagram: commit, trail, artifact, attestations, environments. Lanes are lists, so that screen readers
// present the same content; the curves between them are decoration.
import { type ReactNode, useId } from 'react'
import styles from './lineage.module.css'
import { artifactTexts as texts } from './texts.ts'

export interface LineageNode {
  key: string
  state: string | null
  content: ReactNode
}

export interface Lane {
  title: string
  nodes: LineageNode[]
  /** Shown if the lane has no nodes. */
  none: string
}

export function Lineage({ lanes }: { lanes: Lane[] }) {
  return (
    <section aria-label={texts.lineage.label}>
      <div className={styles.picture}>
        {lanes.map((lane, position) => {
          const before = lanes[position - 1]
          return <LaneWithLines key={lane.title} lane={lane} lines_from={before && countBoxes(before)} />
        })}
      </div>
    </section>
  )
}

/** An empty lane still has one box with a text. */
const countBoxes = (lane: Lane) => Math.max(1, lane.nodes.length)

function LaneWithLines({ lane, lines_from }: { lane: Lane; lines_from: number | undefined }) {
  const title_id = useId()
  return (
    <>
      {lines_from !== undefined && <Lines from={lines_from} to={countBoxes(lane)} />}
      <div className={styles.lane}>
        <div className={styles.title} id={title_id}>
          {lane.title}
        </div>
        <ul className={`${styles.picture} ${styles.nodes}`} aria-labelledby={title_id}>
          {lane.nodes.map(({ key, state, content }) => (
            <li key={key} className={styles.share}>
              <div className={styles.node} data-state={state ?? 'UNKNOWN'}>
                {content}
              </div>
            </li>
          ))}
          {lane.nodes.length === 0 && (
            <li className={styles.share}>
              <div className={styles.node}>{lane.none}</div>
            </li>
          )}
        </ul>
      </div>
    </>
  )
}

const MIDDLE = 50

/** Connects every node on the left with every node on the right, through one point in the middle. */
function Lines({ from, to }: { from: number; to: number }) {
  const middles = (count: number) => Array.from({ length: count }, (_, i) => ((i + 0.5) / count) * 100)
  const curves = [
    ...middles(from).map(y => `M0 ${y} C25 ${y} 25 ${MIDDLE} 50 ${MIDDLE}`),
    ...middles(to).map(y => `M50 ${MIDDLE} C75 ${MIDDLE} 75 ${y} 100 ${y}`),
  ]
  return (
    <div className={styles.lines} aria-hidden="true">
      <svg aria-hidden="true" className={styles.curves} viewBox="0 0 100 100" preserveAspectRatio="none">
        {curves.map(d => (
          <path key={d} d={d} />
        ))}
      </svg>
      <span className={styles.down}>↓</span>
    </div>
  )
}
