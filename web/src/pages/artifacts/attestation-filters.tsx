// The filters of the list of attestations. Each change goes into the address, and back to the newest page.
import { Group, NativeSelect, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ClearFilters, DayFilter, TextFilter } from '../../ui/filters.tsx'
import { formatDayField, getDayEnd, getDayStart } from '../../ui/local-time.ts'
import { dropUndefined, type Patch } from '../../ui/search-params.ts'
import { typesQuery } from '../attestation-types/queries.ts'
import type { AttestationsSearch } from './routes.ts'

const BUILT_IN_TYPES = [
  'generic',
  'junit',
  'snyk',
  'jira',
  'sonar',
  'pull_request',
  'decision',
  'sbom',
  'override',
]

interface FiltersProps {
  org: string
  search: AttestationsSearch
  onChange: (next: AttestationsSearch) => void
}

export function AttestationFilters({ org, search, onChange }: FiltersProps) {
  const { data: own } = useQuery(typesQuery(org, {}))
  const change = (changed: Patch<AttestationsSearch>) =>
    onChange(dropUndefined({ ...search, ...changed, after: undefined }))
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
        data={[...BUILT_IN_TYPES, ...(own?.types ?? []).map(({ name }) => `custom:${name}`)]}
        value={search.type ?? []}
        onChange={type => change({ type: type.length > 0 ? type : undefined })}
      />
      <YesOrNo
        label="State"
        yes="COMPLIANT"
        no="NON-COMPLIANT"
        value={search.is_compliant}
        onChange={is_compliant => change({ is_compliant })}
      />
      <YesOrNo
        label="Bound"
        yes="Waits for an artifact"
        no="Bound"
        value={search.is_waiting}
        onChange={is_waiting => change({ is_waiting })}
      />
      <Period search={search} change={change} />
      {isFiltered && <ClearFilters onClear={() => onChange({})} />}
    </Group>
  )
}

interface YesOrNoProps {
  label: string
  yes: string
  no: string
  value: boolean | undefined
  onChange: (value: boolean | undefined) => void
}

function YesOrNo({ label, yes, no, value, onChange }: YesOrNoProps) {
  return (
    <NativeSelect
      label={label}
      value={String(value ?? '')}
      data={[
        { value: '', label: 'Any' },
        { value: 'true', label: yes },
        { value: 'false', label: no },
      ]}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : currentTarget.value === 'true')
      }
    />
  )
}

function Period({
  search,
  change,
}: {
  search: AttestationsSearch
  change: (changed: Patch<AttestationsSearch>) => void
}) {
  return (
    <>
      <DayFilter
        label="From"
        value={formatDayField(search.from_timestamp)}
        onChange={day => change({ from_timestamp: day === undefined ? undefined : getDayStart(day) })}
      />
      <DayFilter
        label="To"
        value={formatDayField(search.to_timestamp)}
        onChange={day => change({ to_timestamp: day === undefined ? undefined : getDayEnd(day) })}
      />
    </>
  )
}
