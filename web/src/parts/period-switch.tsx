// Chooses the period of a chart, which is kept in the address.
import { SegmentedControl } from '@mantine/core'
import { pickOne } from '../ui/search-params.ts'
import { DEFAULT_PERIOD, PERIODS, type Period } from './periods.ts'
import { partsTexts as texts } from './texts.ts'

interface PeriodSwitchProps {
  value: Period | undefined
  onChange: (period: Period | undefined) => void
}

export function PeriodSwitch({ value = DEFAULT_PERIOD, onChange }: PeriodSwitchProps) {
  return (
    <SegmentedControl
      aria-label={texts.period.label}
      data={PERIODS.map(period => ({ value: period, label: texts.period.names[period] }))}
      value={value}
      onChange={chosen => onChange(chosen === DEFAULT_PERIOD ? undefined : pickOne(chosen, PERIODS))}
    />
  )
}
