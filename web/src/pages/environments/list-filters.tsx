// The filters of the environment list, kept in the URL.
import { Group, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { formatState } from '../../parts/state-badge.tsx'
import { ClearFilters, TextFilter } from '../../ui/filters.tsx'
import { dropUndefined, type Patch, pickOne } from '../../ui/search-params.ts'
import { type EnvironmentListSearch, LIST_STATES, TYPES } from './search.ts'
import { environmentTexts as texts } from './texts.ts'

export function ListFilters({ search }: { search: EnvironmentListSearch }) {
  const navigate = useNavigate({ from: '/$org/environments' })
  const change = (changed: Patch<EnvironmentListSearch>) =>
    void navigate({ search: dropUndefined({ ...search, page: undefined, ...changed }), replace: true })
  const { name, type, state, tag } = search
  return (
    <Group align="end" gap="sm">
      <TextFilter label={texts.list.name} value={name} onChange={typed => change({ name: typed })} />
      <Select
        label={texts.list.type}
        placeholder={texts.list.anyType}
        data={TYPES}
        value={type ?? null}
        onChange={chosen => change({ type: pickOne(chosen, TYPES) })}
        clearable
        clearButtonProps={{ 'aria-label': texts.list.anyType }}
      />
      <Select
        label={texts.list.compliance}
        placeholder={texts.list.anyCompliance}
        data={LIST_STATES.map(each => ({ value: each, label: formatState(each.toUpperCase()) }))}
        value={state ?? null}
        onChange={chosen => change({ state: pickOne(chosen, LIST_STATES) })}
        clearable
        clearButtonProps={{ 'aria-label': texts.list.anyCompliance }}
      />
      <TextFilter
        label={texts.list.tag}
        placeholder={texts.list.tagPlaceholder}
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
