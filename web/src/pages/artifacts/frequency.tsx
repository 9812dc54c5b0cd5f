// How often something happens: the number, the median, and a bar for each day.
import { Text } from '@mantine/core'
import { formatCount } from '../../ui/format-count.ts'
import { Bars } from './bars.tsx'

interface FrequencyProps {
  noun: string
  title: string
  frequency: { total: number; median_per_day: number; per_day: { date: string; count: number }[] }
}

export function Frequency({ noun, title, frequency }: FrequencyProps) {
  const { total, median_per_day, per_day } = frequency
  return (
    <>
      <Text size="sm">
        {formatCount(total, noun)}, median {median_per_day} a day
      </Text>
      <Bars
        label={`${title}: ${total} in ${formatCount(per_day.length, 'day')}`}
        bars={per_day.map(({ date, count }) => ({ name: date, value: count }))}
      />
    </>
  )
}
