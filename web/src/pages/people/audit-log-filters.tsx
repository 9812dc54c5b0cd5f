// The filters of the membership log.
import { Button, Group, MultiSelect, NativeSelect } from '@mantine/core'
import { TextFilter, TimeFilter } from './filters.tsx'
import { type AuditLogSearch, EVENT_TYPES, PAGE_SIZES, ROLES, SOURCES } from './search-params.ts'

type Changed = { [K in keyof AuditLogSearch]: AuditLogSearch[K] | undefined }

interface Props {
  search: AuditLogSearch
  onChange(changed: Changed): void
  onClear(): void
}

const orNone = <T,>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined)

export function AuditLogFilters({ search, onChange, onClear }: Props) {
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
        onChange={({ currentTarget }) =>
          onChange({ event_type: EVENT_TYPES.find(type => type === currentTarget.value) })
        }
      />
      <MultiSelect
        label="New role"
        data={[...ROLES]}
        value={search.role ?? []}
        clearable
        miw={180}
        onChange={chosen => onChange({ role: orNone(ROLES.filter(role => chosen.includes(role))) })}
      />
      <MultiSelect
        label="Source"
        data={[...SOURCES]}
        value={search.source ?? []}
        clearable
        miw={180}
        onChange={chosen => onChange({ source: orNone(SOURCES.filter(source => chosen.includes(source))) })}
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
        data={PAGE_SIZES.map(String)}
        value={String(search.per_page ?? PAGE_SIZES[0])}
        onChange={({ currentTarget }) => onChange({ per_page: Number(currentTarget.value) })}
      />
      {Object.keys(search).length > 0 && (
        <Button variant="subtle" onClick={onClear}>
          Clear all
        </Button>
      )}
    </Group>
  )
}
