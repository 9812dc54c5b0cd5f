// The filters of the log of all events.
import { Group, MultiSelect, NativeSelect } from '@mantine/core'
import { ClearFilters, TextFilter, TimeFilter } from '../../ui/filters.tsx'
import type { Changed } from '../../ui/search-params.ts'
import { EVENT_KINDS } from './event-kinds.ts'
import { type AuditEventsSearch, pageSizes, USUAL_EVENTS } from './search-params.ts'

interface Props {
  search: AuditEventsSearch
  onChange(changed: Changed<AuditEventsSearch>): void
  onClear(): void
}

const TEXTS = [
  { name: 'actor', label: 'Done by (exact name)' },
  { name: 'flow_name', label: 'Flow' },
  { name: 'environment_name', label: 'Environment' },
  { name: 'control', label: 'Control' },
] as const

const KINDS = EVENT_KINDS.map(value => ({ value, label: value.replaceAll('_', ' ') }))

export function AuditEventsFilters({ search, onChange, onClear }: Props) {
  const { per_page = USUAL_EVENTS } = search
  return (
    <Group component="search" aria-label="Filters" align="end">
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
