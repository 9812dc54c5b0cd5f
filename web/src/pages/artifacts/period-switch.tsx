// Chooses how many recent days to count.
import { SegmentedControl } from '@mantine/core'
import { PERIODS_DAYS } from './search.ts'
import { repoTexts as texts } from './texts-repos.ts'

interface PeriodSwitchProps {
  days: number
  onChange: (days: number) => void
}

export function PeriodSwitch({ days, onChange }: PeriodSwitchProps) {
  return (
    <SegmentedControl
      aria-label={texts.period.label}
      value={String(days)}
      data={PERIODS_DAYS.map(each => ({ value: String(each), label: texts.period.days(each) }))}
      onChange={value => onChange(Number(value))}
    />
  )
}
