// The filters of the membership log.
import { Group, MultiSelect, NativeSelect } from '@mantine/core'
import { ROLES } from '../../parts/use-role.ts'
import { ClearFilters, TextFilter, TimeFilter } from '../../ui/filters.tsx'
import { type Changed, oneOf, someOf } from '../../ui/search-params.ts'
import { type AuditLogSearch, EVENT_TYPES, pageSizes, SOURCES, USUAL_CHANGES } from './search-params.ts'

interface Props {
  search: AuditLogSearch
  onChange(changed: Changed<AuditLogSearch>): void
  onClear(): void
}

export function AuditLogFilters({ search, onChange, onClear }: Props) {
  const { per_page = USUAL_CHANGES } = search
  return (
    <Group component="search" aria-label="Filters" align="end">
      <TextFilter
        label="User or actor contains"
        value={search.search}
        onChange={text => onChange({ search: text })}
      />
      <NativeSelect
        label="Change"
        data={[{ value: '', label: 'any' }, ...EVENT_TYPES]}
        value={search.event_type ?? ''}
        onChange={({ currentTarget }) => onChange({ event_type: oneOf(currentTarget.value, EVENT_TYPES) })}
      />
      <MultiSelect
        label="New role"
        data={[...ROLES]}
        value={search.role ?? []}
        clearable
        clearButtonProps={{ 'aria-label': 'Any role' }}
        miw={180}
        onChange={chosen => onChange({ role: someOf(chosen, ROLES) })}
      />
      <MultiSelect
        label="Source"
        data={[...SOURCES]}
        value={search.source ?? []}
        clearable
        clearButtonProps={{ 'aria-label': 'Any source' }}
        miw={180}
        onChange={chosen => onChange({ source: someOf(chosen, SOURCES) })}
      />
      <TimeFilter
        label="From"
        value={search.from_timestamp}
        onChange={from_timestamp => onChange({ from_timestamp })}
      />
      <TimeFilter
        label="To"
        value={search.to_timestamp}
        onChange={to_timestamp => onChange({ to_timestamp })}
      />
      <NativeSelect
        label="Per page"
        data={pageSizes(per_page)}
        value={String(per_page)}
        onChange={({ currentTarget }) => onChange({ per_page: Number(currentTarget.value) })}
      />
      {Object.keys(search).length > 0 && <ClearFilters onClear={onClear} />}
    </Group>
  )
}
