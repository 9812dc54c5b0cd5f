// A small bar chart: one bar for each value, and the same as a list for those who do not see or hover.
import { List } from '@mantine/core'
import { Details } from '../../ui/details.tsx'
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
  const told = bars.filter(({ value }) => value > 0)
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
      <Details title="As text">
        {told.length === 0 ? (
          'None on any day.'
        ) : (
          <List size="sm">
            {told.map(({ name, value }) => (
              <List.Item key={name}>
                {name}: {value}
              </List.Item>
            ))}
          </List>
        )}
      </Details>
    </figure>
  )
}
