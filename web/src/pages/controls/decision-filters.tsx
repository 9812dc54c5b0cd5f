// What the decisions on a control are filtered and sorted by, all of it in the address.
import { Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { flowNamesQuery } from '../../parts/queries.ts'
import { ClearFilters, DayFilter } from '../../ui/filters.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { type ControlSearch, controlSearch } from './routes.ts'

const OUTCOMES = [
  { value: 'true', label: 'Compliant' },
  { value: 'false', label: 'Non-compliant' },
]
const ORDERS = [
  { value: 'desc', label: 'Newest first' },
  { value: 'asc', label: 'Oldest first' },
]

export function DecisionFilters({ org }: { org: string }) {
  const search = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  const flows = useQuery(flowNamesQuery(org))
  /** Another filter begins at the first page. */
  const change = (part: Patch<ControlSearch>) =>
    void navigate({
      search: controlSearch({ ...search, cursor: undefined, ...part }),
      replace: true,
      resetScroll: false,
    })
  const { is_compliant, flow_name, from, to, sort_direction = 'desc' } = search
  const isFiltered = [is_compliant, flow_name, from, to].some(each => each !== undefined)
  return (
    <Group align="end">
      <Select
        label="Decision"
        placeholder="Any"
        data={OUTCOMES}
        value={is_compliant === undefined ? null : String(is_compliant)}
        clearable
        w={160}
        onChange={chosen => change({ is_compliant: chosen === null ? undefined : chosen === 'true' })}
      />
      <Select
        label="Flow"
        placeholder="Any"
        data={flows.data ?? (flow_name === undefined ? [] : [flow_name])}
        value={flow_name ?? null}
        clearable
        searchable
        w={200}
        onChange={chosen => change({ flow_name: chosen ?? undefined })}
      />
      <DayFilter label="From" value={from} onChange={day => change({ from: day })} />
      <DayFilter label="To" value={to} onChange={day => change({ to: day })} />
      <Select
        label="Order"
        data={ORDERS}
        value={sort_direction}
        allowDeselect={false}
        w={150}
        onChange={chosen => change({ sort_direction: chosen === 'asc' ? 'asc' : undefined })}
      />
      {isFiltered && (
        <ClearFilters
          onClear={() =>
            change({ is_compliant: undefined, flow_name: undefined, from: undefined, to: undefined })
          }
        />
      )}
    </Group>
  )
}
