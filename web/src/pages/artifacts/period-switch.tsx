// How many of the last days are counted.
import { SegmentedControl } from '@mantine/core'
import { PERIODS_DAYS } from './routes.ts'

interface PeriodSwitchProps {
  days: number
  onChange: (days: number) => void
}

export function PeriodSwitch({ days, onChange }: PeriodSwitchProps) {
  return (
    <SegmentedControl
      aria-label="Period"
      value={String(days)}
      data={PERIODS_DAYS.map(each => ({ value: String(each), label: `${each} days` }))}
      onChange={value => onChange(Number(value))}
    />
  )
}
