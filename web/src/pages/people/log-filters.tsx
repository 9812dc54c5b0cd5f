// What both logs can be filtered by besides their own: the time, and how many are on a page. And the way out of all of it.
import { Group, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { ClearFilters, TimeFilter } from '../../ui/filters.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { pageSizes } from './search-params.ts'

export interface FiltersProps<Search> {
  search: Search
  onChange(changed: Patch<Search>): void
  onClear(): void
}

interface LogSearch {
  from_timestamp?: number
  to_timestamp?: number
  per_page?: number
}

interface LogFiltersProps extends FiltersProps<LogSearch> {
  usual_per_page: number
  /** The filters that only this log has. */
  children: ReactNode
}

export function LogFilters({ search, onChange, onClear, usual_per_page, children }: LogFiltersProps) {
  const { from_timestamp, to_timestamp, per_page = usual_per_page } = search
  return (
    <Group component="search" aria-label="Filters" align="end">
      {children}
      <TimeFilter label="From" value={from_timestamp} onChange={at => onChange({ from_timestamp: at })} />
      <TimeFilter label="To" value={to_timestamp} onChange={at => onChange({ to_timestamp: at })} />
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
