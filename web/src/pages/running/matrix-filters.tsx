// The filters of the matrix, kept in the address.
import { Group, Select } from '@mantine/core'
import { ClearFilters, TextFilter } from '../../ui/filters.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { CELL_STATES, type RunningSearch } from './search.ts'
import { runningTexts as texts } from './texts.ts'

const STATES = CELL_STATES.map(value => ({ value, label: value }))
const VERSIONS = [
  { value: 'true', label: texts.filters.differ },
  { value: 'false', label: texts.filters.same },
]

interface MatrixFiltersProps {
  search: RunningSearch
  onChange: (part: Patch<RunningSearch>) => void
  onClear: () => void
}

export function MatrixFilters({ search, onChange, onClear }: MatrixFiltersProps) {
  const { page, columns, ...filter } = search
  return (
    <Group align="end" gap="xs">
      <TextFilter
        label={texts.filters.search}
        value={search.search}
        onChange={value => onChange({ search: value })}
      />
      <TextFilter
        label={texts.filters.environment}
        value={search.environment}
        onChange={value => onChange({ environment: value })}
      />
      <TextFilter label={texts.filters.flow} value={search.flow} onChange={flow => onChange({ flow })} />
      <TextFilter label={texts.filters.repo} value={search.repo} onChange={repo => onChange({ repo })} />
      <TextFilter
        label={texts.filters.tag}
        placeholder={texts.filters.tagPlaceholder}
        value={search.tag?.join(' ')}
        onChange={typed => onChange({ tag: typed?.split(/\s+/).filter(Boolean) })}
      />
      <Select
        label={texts.filters.state}
        placeholder={texts.filters.any}
        data={STATES}
        value={search.state ?? null}
        clearable
        w={160}
        onChange={chosen => onChange({ state: CELL_STATES.find(state => state === chosen) })}
      />
      <Select
        label={texts.filters.versions}
        placeholder={texts.filters.any}
        data={VERSIONS}
        value={search.differs === undefined ? null : String(search.differs)}
        clearable
        w={180}
        onChange={chosen => onChange({ differs: chosen === null ? undefined : chosen === 'true' })}
      />
      {Object.keys(filter).length > 0 && <ClearFilters onClear={onClear} />}
    </Group>
  )
}
