// The filters of the event log.
import { MultiSelect } from '@mantine/core'
import { TextFilter } from '../../ui/filters.tsx'
import { EVENT_KINDS } from './event-kinds.ts'
import { type FiltersProps, LogFilters } from './log-filters.tsx'
import { type AuditEventsSearch, DEFAULT_EVENTS } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

const TEXT_FILTERS = [
  { name: 'actor', label: texts.auditEvents.actor },
  { name: 'flow_name', label: texts.auditEvents.flow },
  { name: 'environment_name', label: texts.auditEvents.environment },
  { name: 'control', label: texts.auditEvents.control },
] as const

const KINDS = EVENT_KINDS.map(value => ({ value, label: value.replaceAll('_', ' ') }))

export function AuditEventsFilters({ search, onChange, onClear }: FiltersProps<AuditEventsSearch>) {
  return (
    <LogFilters search={search} onChange={onChange} onClear={onClear} default_per_page={DEFAULT_EVENTS}>
      <MultiSelect
        label={texts.auditEvents.kind}
        data={KINDS}
        value={search.kind ?? []}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': texts.auditEvents.anyKind }}
        miw={220}
        maw="100%"
        onChange={chosen => {
          const kind = EVENT_KINDS.filter(each => chosen.includes(each))
          onChange({ kind: kind.length > 0 ? kind : undefined })
        }}
      />
      {TEXT_FILTERS.map(({ name, label }) => (
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
