// What the decisions on a control are filtered and sorted by, all of it in the address.
import { Button, Group, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { flowNamesQuery } from './queries.ts'
import { type ControlSearch, controlSearch } from './search.ts'

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
  const change = (part: { [K in keyof ControlSearch]: ControlSearch[K] | undefined }) =>
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
      <TextInput
        type="date"
        label="From"
        value={from ?? ''}
        onChange={({ currentTarget }) => change({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To"
        value={to ?? ''}
        onChange={({ currentTarget }) => change({ to: currentTarget.value })}
      />
      <Select
        label="Order"
        data={ORDERS}
        value={sort_direction}
        allowDeselect={false}
        w={150}
        onChange={chosen => change({ sort_direction: chosen === 'asc' ? 'asc' : undefined })}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          onClick={() =>
            change({ is_compliant: undefined, flow_name: undefined, from: undefined, to: undefined })
          }
        >
          Clear all
        </Button>
      )}
    </Group>
  )
}
