// A small bar chart: one bar for each value, with the value on hover.
import styles from './bars.module.css'

interface BarsProps {
  label: string
  bars: { name: string; value: number }[]
}

const HEIGHT = 48
const STEP = 10
const WIDTH = 7
/** A day without anything still has a mark. */
const LEAST_HEIGHT = 1

export function Bars({ label, bars }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const first = bars[0]
  const last = bars.at(-1)
  return (
    <figure className={styles.figure}>
      <svg
        role="img"
        aria-label={label}
        className={styles.bars}
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {bars.map(({ name, value }, position) => {
          const height = Math.max(LEAST_HEIGHT, (value / most) * HEIGHT)
          return (
            <rect key={name} x={position * STEP} y={HEIGHT - height} width={WIDTH} height={height}>
              <title>
                {name}: {value}
              </title>
            </rect>
          )
        })}
      </svg>
      <figcaption className={styles.axis}>
        <span>{first?.name}</span>
        <span>most in a day: {Math.max(0, ...bars.map(({ value }) => value))}</span>
        <span>{last?.name}</span>
      </figcaption>
    </figure>
  )
}
