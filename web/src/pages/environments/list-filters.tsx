// The filters above the list of environments, which are in the address.
import { Group, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ClearFilters, TextFilter } from '../../ui/filters.tsx'
import { dropUndefined, type Patch, pickOne } from '../../ui/search-params.ts'
import { type EnvironmentListSearch, LIST_STATES, TYPES } from './routes.ts'

export function ListFilters({ search }: { search: EnvironmentListSearch }) {
  const navigate = useNavigate({ from: '/$org/environments' })
  const change = (changed: Patch<EnvironmentListSearch>) =>
    void navigate({ search: dropUndefined({ ...search, page: undefined, ...changed }), replace: true })
  const { name, type, state, tag } = search
  return (
    <Group align="end" gap="sm">
      <TextFilter label="Name" value={name} onChange={typed => change({ name: typed })} />
      <Select
        label="Type"
        placeholder="Any type"
        data={TYPES}
        value={type ?? null}
        onChange={chosen => change({ type: pickOne(chosen, TYPES) })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any type' }}
      />
      <Select
        label="Compliance"
        placeholder="Any compliance"
        data={LIST_STATES.map(each => ({ value: each, label: each.toUpperCase() }))}
        value={state ?? null}
        onChange={chosen => change({ state: pickOne(chosen, LIST_STATES) })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any compliance' }}
      />
      <TextFilter
        label="Tag"
        placeholder="key or key:value"
        value={tag}
        onChange={typed => change({ tag: typed })}
      />
      {(name || type || state || tag) && (
        <ClearFilters
          onClear={() => change({ name: undefined, type: undefined, state: undefined, tag: undefined })}
        />
      )}
    </Group>
  )
}
