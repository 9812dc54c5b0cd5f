// The filters that both logs share: the time range, the page size, and the button that clears all filters.
import { Group, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { TimeZoneSwitch } from '../../parts/time-zone-switch.tsx'
import { useTimeZone } from '../../parts/use-time-zone.ts'
import { ClearFilters, TimeFilter } from '../../ui/filters.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { listPageSizes } from './search-params.ts'
import { peopleTexts as texts } from './texts.ts'

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
  default_per_page: number
  /** The filters that only this log has. */
  children: ReactNode
}

export function LogFilters({ search, onChange, onClear, default_per_page, children }: LogFiltersProps) {
  const zone = useTimeZone()
  const { from_timestamp, to_timestamp, per_page = default_per_page } = search
  return (
    <Group component="search" aria-label={texts.filters.label} align="end">
      {children}
      <TimeFilter
        label={texts.filters.from(zone)}
        zone={zone}
        value={from_timestamp}
        onChange={at => onChange({ from_timestamp: at })}
      />
      <TimeFilter
        label={texts.filters.to(zone)}
        zone={zone}
        value={to_timestamp}
        onChange={at => onChange({ to_timestamp: at })}
      />
      <NativeSelect
        label={texts.filters.perPage}
        data={listPageSizes(per_page)}
        value={String(per_page)}
        onChange={({ currentTarget }) => onChange({ per_page: Number(currentTarget.value) })}
      />
      <TimeZoneSwitch />
      {Object.keys(search).length > 0 && <ClearFilters onClear={onClear} />}
    </Group>
  )
}
