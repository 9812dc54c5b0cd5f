// The filters of the log of all events.
import { MultiSelect } from '@mantine/core'
import { TextFilter } from '../../ui/filters.tsx'
import { EVENT_KINDS } from './event-kinds.ts'
import { type FiltersProps, LogFilters } from './log-filters.tsx'
import { type AuditEventsSearch, USUAL_EVENTS } from './search-params.ts'

const TEXTS = [
  { name: 'actor', label: 'Done by (exact name)' },
  { name: 'flow_name', label: 'Flow' },
  { name: 'environment_name', label: 'Environment' },
  { name: 'control', label: 'Control' },
] as const

const KINDS = EVENT_KINDS.map(value => ({ value, label: value.replaceAll('_', ' ') }))

export function AuditEventsFilters({ search, onChange, onClear }: FiltersProps<AuditEventsSearch>) {
  return (
    <LogFilters search={search} onChange={onChange} onClear={onClear} usual_per_page={USUAL_EVENTS}>
      <MultiSelect
        label="Kind"
        data={KINDS}
        value={search.kind ?? []}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Any kind' }}
        miw={220}
        maw="100%"
        onChange={chosen => {
          const kind = EVENT_KINDS.filter(each => chosen.includes(each))
          onChange({ kind: kind.length > 0 ? kind : undefined })
        }}
      />
      {TEXTS.map(({ name, label }) => (
        <TextFilter
          key={name}
          label={label}
          value={search[name]}
          onChange={text => onChange({ [name]: text })}
        />
      ))}
    </LogFilters>
  )
}
