// The fields of an environment that its form and its settings share.
import { MultiSelect, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { environmentsQuery } from '../../parts/queries.ts'
import { formatExactDuration } from '../../ui/duration.ts'
import type { FieldProps } from '../../ui/use-draft.ts'
import { environmentTexts as texts } from './texts.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const INTERVAL_CHOICES = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR]
const NEVER = 'never'

interface IntervalProps extends FieldProps<number | null> {
  /** The stored value remains an option: the API accepts any number of seconds. */
  before: number | null
}

export function ReportInterval({ before, value: interval = null, onChange, ...field }: IntervalProps) {
  const choices = [...new Set([...INTERVAL_CHOICES, ...(before === null ? [] : [before])])]
  return (
    <NativeSelect
      {...field}
      label={texts.settings.interval}
      description={texts.settings.intervalHint}
      value={interval === null ? NEVER : String(interval)}
      data={[
        ...choices
          .toSorted((a, b) => a - b)
          .map(each => ({ value: String(each), label: formatExactDuration(each) })),
        { value: NEVER, label: texts.settings.neverStale },
      ]}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === NEVER ? null : Number(currentTarget.value))
      }
    />
  )
}

interface IncludedProps extends FieldProps<string[]> {
  org: string
}

export function IncludedEnvironments({ org, value: included = [], ...field }: IncludedProps) {
  const { data = [] } = useQuery(environmentsQuery(org))
  const physical = data.filter(({ type }) => type !== 'logical').map(({ name }) => name)
  return (
    <MultiSelect
      {...field}
      label={texts.settings.combines}
      data={[...new Set([...physical, ...included])]}
      value={included}
      searchable
    />
  )
}
