// How often something happens: total, median and a bar per day.
import { Text } from '@mantine/core'
import { Bars } from './bars.tsx'
import { repoTexts as texts } from './texts-repos.ts'

interface FrequencyProps {
  noun: string
  title: string
  frequency: { total: number; median_per_day: number; per_day: { date: string; count: number }[] }
}

export function Frequency({ noun, title, frequency }: FrequencyProps) {
  const { total, median_per_day, per_day } = frequency
  return (
    <>
      <Text size="sm">{texts.chart.summary(total, noun, median_per_day)}</Text>
      <Bars
        label={texts.chart.label(title, total, per_day.length)}
        bars={per_day.map(({ date, count }) => ({ name: date, value: count }))}
      />
    </>
  )
}
