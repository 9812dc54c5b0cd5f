// The filters of the list of attestations. Each change goes into the address, and back to the newest page.
import { Group, NativeSelect, TagsInput } from '@mantine/core'
import { ClearFilters, DayFilter, TextFilter } from '../../ui/filters.tsx'
import { dayEnd, dayField, dayStart } from '../../ui/local-time.ts'
import { type Changed, defined } from '../../ui/search-params.ts'
import type { AttestationsSearch } from './routes.ts'

const BUILT_IN_TYPES = ['generic', 'junit', 'snyk', 'jira', 'sonar', 'pull_request', 'decision', 'override']

interface FiltersProps {
  search: AttestationsSearch
  onChange: (next: AttestationsSearch) => void
}

export function AttestationFilters({ search, onChange }: FiltersProps) {
  const change = (changed: Changed<AttestationsSearch>) =>
    onChange(defined({ ...search, ...changed, after: undefined }))
  const isFiltered = Object.keys(search).some(key => key !== 'after')
  return (
    <Group align="end" gap="sm">
      <TextFilter label="Name" value={search.name} onChange={name => change({ name })} />
      <TextFilter
        label="Name matches (RE2)"
        value={search.name_regex}
        onChange={name_regex => change({ name_regex })}
      />
      <TagsInput
        label="Flows"
        w={200}
        value={search.flow ?? []}
        onChange={flow => change({ flow: flow.length > 0 ? flow : undefined })}
      />
      <TagsInput
        label="Types"
        w={200}
        data={BUILT_IN_TYPES}
        value={search.type ?? []}
        onChange={type => change({ type: type.length > 0 ? type : undefined })}
      />
      <NativeSelect
        label="State"
        value={String(search.is_compliant ?? '')}
        data={[
          { value: '', label: 'Any' },
          { value: 'true', label: 'COMPLIANT' },
          { value: 'false', label: 'NON-COMPLIANT' },
        ]}
        onChange={({ currentTarget: { value } }) =>
          change({ is_compliant: value === '' ? undefined : value === 'true' })
        }
      />
      <Period search={search} change={change} />
      {isFiltered && <ClearFilters onClear={() => onChange({})} />}
    </Group>
  )
}

function Period({
  search,
  change,
}: {
  search: AttestationsSearch
  change: (changed: Changed<AttestationsSearch>) => void
}) {
  return (
    <>
      <DayFilter
        label="From"
        value={dayField(search.from_timestamp)}
        onChange={day => change({ from_timestamp: day === undefined ? undefined : dayStart(day) })}
      />
      <DayFilter
        label="To"
        value={dayField(search.to_timestamp)}
        onChange={day => change({ to_timestamp: day === undefined ? undefined : dayEnd(day) })}
      />
    </>
  )
}
