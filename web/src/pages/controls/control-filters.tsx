// What the list of controls is filtered and sorted by, all of it in the address.
import { Checkbox, Group, Select, TagsInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { TextFilter } from '../../ui/filters.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { type ControlsSearch, controlsSearch } from './routes.ts'

const ORDERS = [
  { value: 'asc', label: 'Name, A to Z' },
  { value: 'desc', label: 'Name, Z to A' },
]

export function ControlFilters() {
  const search = useSearch({ from: '/$org/controls' })
  const navigate = useNavigate({ from: '/$org/controls' })
  /** Another filter begins at the first page. */
  const change = (part: Patch<ControlsSearch>) =>
    void navigate({ search: controlsSearch({ ...search, page: undefined, ...part }), replace: true })
  return (
    <Group align="end">
      <TextFilter
        label="Search"
        placeholder="Name or identifier"
        value={search.search}
        onChange={text => change({ search: text })}
      />
      <TagsInput
        label="Tags"
        placeholder={search.tag ? '' : 'area:change'}
        value={search.tag ?? []}
        onChange={tag => change({ tag })}
        clearable
      />
      <Select
        label="Order"
        data={ORDERS}
        value={search.sort_direction ?? 'asc'}
        allowDeselect={false}
        w={160}
        onChange={order => change({ sort_direction: order === 'desc' ? 'desc' : undefined })}
      />
      <Checkbox
        label="Archived ones"
        mb={8}
        checked={search.archived ?? false}
        onChange={({ currentTarget }) => change({ archived: currentTarget.checked ? true : undefined })}
      />
    </Group>
  )
}
