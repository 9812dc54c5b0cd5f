// The filters of the list of attestations. Each change goes into the address, and back to the newest page.
import { Button, Group, NativeSelect, TagsInput, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { defined, textOf } from '../flows/search.ts'
import { dayEnd, dayOf, dayStart } from './days.ts'
import type { AttestationsSearch } from './routes.ts'

const BUILT_IN_TYPES = ['generic', 'junit', 'snyk', 'jira', 'sonar', 'pull_request', 'decision', 'override']
const TYPING_PAUSE_MS = 300

interface FiltersProps {
  search: AttestationsSearch
  onChange: (next: AttestationsSearch) => void
}

type Filters = { [K in keyof AttestationsSearch]: AttestationsSearch[K] | undefined }

export function AttestationFilters({ search, onChange }: FiltersProps) {
  const change = (changed: Filters) => onChange(defined({ ...search, ...changed, after: undefined }))
  const isFiltered = Object.keys(search).some(key => key !== 'after')
  return (
    <Group align="end" gap="sm">
      <TypedText
        key={`name ${search.name === undefined}`}
        label="Name"
        value={search.name}
        onChange={name => change({ name })}
      />
      <TypedText
        key={`regex ${search.name_regex === undefined}`}
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
      {isFiltered && (
        <Button variant="subtle" onClick={() => onChange({})}>
          Clear all
        </Button>
      )}
    </Group>
  )
}

function Period({ search, change }: { search: AttestationsSearch; change: (changed: Filters) => void }) {
  return (
    <>
      <TextInput
        type="date"
        label="From"
        value={dayOf(search.from_timestamp)}
        onChange={({ currentTarget }) => change({ from_timestamp: dayStart(currentTarget.value) })}
      />
      <TextInput
        type="date"
        label="To"
        value={dayOf(search.to_timestamp)}
        onChange={({ currentTarget }) => change({ to_timestamp: dayEnd(currentTarget.value) })}
      />
    </>
  )
}

interface TypedTextProps {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** Asks the server when the typing pauses. */
function TypedText({ label, value, onChange }: TypedTextProps) {
  const [typed, setTyped] = useState(value ?? '')
  const tell = useDebouncedCallback((text: string) => onChange(textOf(text)), TYPING_PAUSE_MS)
  return (
    <TextInput
      label={label}
      w={180}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        tell(currentTarget.value)
      }}
    />
  )
}
