// The filters of the membership log.
import { MultiSelect, NativeSelect } from '@mantine/core'
import { ROLES } from '../../parts/use-role.ts'
import { TextFilter } from '../../ui/filters.tsx'
import { pickOne, pickSome } from '../../ui/search-params.ts'
import { type FiltersProps, LogFilters } from './log-filters.tsx'
import { type AuditLogSearch, EVENT_TYPES, SOURCES, USUAL_CHANGES } from './search-params.ts'

export function AuditLogFilters({ search, onChange, onClear }: FiltersProps<AuditLogSearch>) {
  return (
    <LogFilters search={search} onChange={onChange} onClear={onClear} usual_per_page={USUAL_CHANGES}>
      <TextFilter
        label="User or actor contains"
        value={search.search}
        onChange={text => onChange({ search: text })}
      />
      <NativeSelect
        label="Change"
        data={[{ value: '', label: 'any' }, ...EVENT_TYPES]}
        value={search.event_type ?? ''}
        onChange={({ currentTarget }) => onChange({ event_type: pickOne(currentTarget.value, EVENT_TYPES) })}
      />
      <MultiSelect
        label="New role"
        data={[...ROLES]}
        value={search.role ?? []}
        clearable
        clearButtonProps={{ 'aria-label': 'Any role' }}
        miw={180}
        onChange={chosen => onChange({ role: pickSome(chosen, ROLES) })}
      />
      <MultiSelect
        label="Source"
        data={[...SOURCES]}
        value={search.source ?? []}
        clearable
        clearButtonProps={{ 'aria-label': 'Any source' }}
        miw={180}
        onChange={chosen => onChange({ source: pickSome(chosen, SOURCES) })}
      />
    </LogFilters>
  )
}
