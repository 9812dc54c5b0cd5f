// A small bar chart, with the same values as text for readers who cannot see or hover.
import { List } from '@mantine/core'
import { Details } from '../../ui/details.tsx'
import styles from './bars.module.css'
import { repoTexts as texts } from './texts-repos.ts'

interface BarsProps {
  label: string
  bars: { name: string; value: number }[]
}

const HEIGHT = 48
const STEP = 10
const WIDTH = 7
/** A day with 0 still gets a visible bar. */
const MIN_HEIGHT = 1

export function Bars({ label, bars }: BarsProps) {
  const max = Math.max(0, ...bars.map(({ value }) => value))
  const scale = Math.max(1, max)
  const first = bars[0]
  const last = bars.at(-1)
  const nonZero = bars.filter(({ value }) => value > 0)
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
          const height = Math.max(MIN_HEIGHT, (value / scale) * HEIGHT)
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
        <span>{texts.chart.maximum(max)}</span>
        <span>{last?.name}</span>
      </figcaption>
      <Details title={texts.chart.asText}>
        {nonZero.length === 0 ? (
          texts.chart.none
        ) : (
          <List size="sm">
            {nonZero.map(({ name, value }) => (
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
