// The filters of the attestation list, kept in the URL. Every change returns to the newest page.
import { Group, NativeSelect, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { builtInTypesQuery } from '../../parts/queries.ts'
import { ClearFilters, DayFilter, TextFilter } from '../../ui/filters.tsx'
import { formatDayField, getDayEnd, getDayStart } from '../../ui/local-time.ts'
import { dropUndefined, type Patch } from '../../ui/search-params.ts'
import { typesQuery } from '../attestation-types/queries.ts'
import type { AttestationsSearch } from './search.ts'
import { artifactTexts as texts } from './texts.ts'

const OVERRIDE = 'override'

interface FiltersProps {
  org: string
  search: AttestationsSearch
  onChange: (next: AttestationsSearch) => void
}

export function AttestationFilters({ org, search, onChange }: FiltersProps) {
  const { data: built_in = [] } = useQuery(builtInTypesQuery)
  const { data: custom } = useQuery(typesQuery(org, {}))
  const change = (changed: Patch<AttestationsSearch>) =>
    onChange(dropUndefined({ ...search, ...changed, after: undefined }))
  const isFiltered = Object.keys(search).some(key => key !== 'after')
  return (
    <Group align="end" gap="sm">
      <TextFilter label={texts.attestations.name} value={search.name} onChange={name => change({ name })} />
      <TextFilter
        label={texts.attestations.nameRegex}
        value={search.name_regex}
        onChange={name_regex => change({ name_regex })}
      />
      <TagsInput
        label={texts.attestations.flows}
        w={200}
        value={search.flow ?? []}
        onChange={flow => change({ flow: flow.length > 0 ? flow : undefined })}
      />
      <TagsInput
        label={texts.attestations.types}
        w={200}
        data={[
          ...built_in.map(({ name }) => name),
          OVERRIDE,
          ...(custom?.types ?? []).map(({ name }) => `custom:${name}`),
        ]}
        value={search.type ?? []}
        onChange={type => change({ type: type.length > 0 ? type : undefined })}
      />
      <YesOrNo
        label={texts.attestations.state}
        yes={texts.attestations.compliant}
        no={texts.attestations.nonCompliant}
        value={search.is_compliant}
        onChange={is_compliant => change({ is_compliant })}
      />
      <YesOrNo
        label={texts.attestations.binding}
        yes={texts.attestations.waiting}
        no={texts.attestations.bound}
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
        { value: '', label: texts.attestations.any },
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
        label={texts.attestations.from}
        value={formatDayField(search.from_timestamp)}
        onChange={day => change({ from_timestamp: day === undefined ? undefined : getDayStart(day) })}
      />
      <DayFilter
        label={texts.attestations.to}
        value={formatDayField(search.to_timestamp)}
        onChange={day => change({ to_timestamp: day === undefined ? undefined : getDayEnd(day) })}
      />
    </>
  )
}
