// The filters and the order of the decisions on a control, kept in the URL.
import { Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { flowNamesQuery } from '../../parts/queries.ts'
import { ClearFilters, DayFilter } from '../../ui/filters.tsx'
import type { Patch } from '../../ui/search-params.ts'
import { type ControlSearch, parseControlSearch } from './search.ts'
import { controlTexts as texts } from './texts.ts'

const OUTCOMES = [
  { value: 'true', label: texts.decisions.compliant },
  { value: 'false', label: texts.decisions.nonCompliant },
]
const ORDERS = [
  { value: 'desc', label: texts.decisions.newestFirst },
  { value: 'asc', label: texts.decisions.oldestFirst },
]

export function DecisionFilters({ org }: { org: string }) {
  const search = useSearch({ from: '/$org/controls/$identifier' })
  const navigate = useNavigate({ from: '/$org/controls/$identifier' })
  const flows = useQuery(flowNamesQuery(org))
  /** A changed filter returns to the first page. */
  const change = (part: Patch<ControlSearch>) =>
    void navigate({
      search: parseControlSearch({ ...search, cursor: undefined, ...part }),
      replace: true,
      resetScroll: false,
    })
  const { is_compliant, flow_name, from, to, sort_direction = 'desc' } = search
  const isFiltered = [is_compliant, flow_name, from, to].some(each => each !== undefined)
  return (
    <Group align="end">
      <Select
        label={texts.decisions.outcome}
        placeholder={texts.decisions.any}
        data={OUTCOMES}
        value={is_compliant === undefined ? null : String(is_compliant)}
        clearable
        w={160}
        onChange={chosen => change({ is_compliant: chosen === null ? undefined : chosen === 'true' })}
      />
      <Select
        label={texts.decisions.flow}
        placeholder={texts.decisions.any}
        data={flows.data ?? (flow_name === undefined ? [] : [flow_name])}
        value={flow_name ?? null}
        clearable
        searchable
        w={200}
        onChange={chosen => change({ flow_name: chosen ?? undefined })}
      />
      <DayFilter label={texts.decisions.from} value={from} onChange={day => change({ from: day })} />
      <DayFilter label={texts.decisions.to} value={to} onChange={day => change({ to: day })} />
      <Select
        label={texts.decisions.order}
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
