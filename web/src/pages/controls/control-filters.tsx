// The filters and the order of the control list, kept in the URL.
import { Checkbox, Group, Select, TagsInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { TextFilter } from '../../ui/filters.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { type ControlsSearch, parseControlsSearch } from './search.ts'
import { controlTexts as texts } from './texts.ts'

const ORDERS = [
  { value: 'asc', label: texts.list.ascending },
  { value: 'desc', label: texts.list.descending },
]

export function ControlFilters() {
  const search = useSearch({ from: '/$org/controls' })
  const navigate = useNavigate({ from: '/$org/controls' })
  /** A changed filter returns to the first page. */
  const change = (part: Patch<ControlsSearch>) =>
    void navigate({ search: parseControlsSearch({ ...search, page: undefined, ...part }), replace: true })
  return (
    <Group align="end">
      <TextFilter
        label={texts.list.search}
        placeholder={texts.list.searchPlaceholder}
        value={search.search}
        onChange={text => change({ search: text })}
      />
      <TagsInput
        label={texts.list.tags}
        placeholder={search.tag ? '' : texts.list.tagsPlaceholder}
        value={search.tag ?? []}
        onChange={tag => change({ tag })}
        clearable
      />
      <Select
        label={texts.list.order}
        data={ORDERS}
        value={search.sort_direction ?? 'asc'}
        allowDeselect={false}
        w={160}
        onChange={order => change({ sort_direction: order === 'desc' ? 'desc' : undefined })}
      />
      <Checkbox
        label={texts.list.archived}
        mb={8}
        checked={search.archived ?? false}
        onChange={({ currentTarget }) => change({ archived: currentTarget.checked ? true : undefined })}
      />
    </Group>
  )
}
