// The filters of the log of deliveries. They are the address, so that a view can be sent to somebody.
import { Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ClearFilters, TimeFilter } from '../../ui/filters.tsx'
import { dropUndefined, type Patch, pickOne } from '../../ui/search-params.ts'
import { notificationsQuery } from './queries.ts'
import type { DeliverySearch } from './routes.ts'
import { EVENTS, type EventType, keysOf, STATUSES } from './words.ts'

const KEY_EXPIRY = 'api_key_expiry'

interface DeliveryFiltersProps {
  org: string
  search: DeliverySearch
  onChange: (search: DeliverySearch) => void
}

export function DeliveryFilters({ org, search, onChange }: DeliveryFiltersProps) {
  const { cursor: _page, delivery: _open, ...filters } = search
  const { status, event_type, from, to } = filters
  const change = (changed: Patch<DeliverySearch>) => onChange(dropUndefined({ ...filters, ...changed }))
  return (
    <Group align="flex-end" role="search" aria-label="Filters">
      <AboutFilter org={org} filters={filters} onChange={onChange} />
      <Select
        label="Status"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        w={160}
        data={keysOf(STATUSES).map(value => ({ value, label: STATUSES[value].word }))}
        value={status ?? null}
        onChange={value => change({ status: pickOne(value, keysOf(STATUSES)) })}
      />
      <Select
        label="What happened"
        placeholder="Anything"
        clearable
        clearButtonProps={{ 'aria-label': 'Anything that happened' }}
        w={260}
        data={keysOf<EventType>(EVENTS).map(value => ({ value, label: EVENTS[value] }))}
        value={event_type ?? null}
        onChange={value => change({ event_type: pickOne(value, keysOf<EventType>(EVENTS)) })}
      />
      <TimeFilter label="From" value={from} onChange={at => change({ from: at })} />
      <TimeFilter label="To" value={to} onChange={at => change({ to: at })} />
      {Object.keys(filters).length > 0 && <ClearFilters onClear={() => onChange({})} />}
    </Group>
  )
}

interface AboutFilterProps {
  org: string
  filters: DeliverySearch
  onChange: (search: DeliverySearch) => void
}

/** A notification about environments or flows, or the one about keys: never both. */
function AboutFilter({ org, filters, onChange }: AboutFilterProps) {
  const notifications = useQuery(notificationsQuery(org))
  const { number, notification_type, ...others } = filters
  const known = (notifications.data ?? []).map(each => ({
    value: String(each.number),
    label: `${each.name} (${each.number})`,
  }))
  const isKnown = number === undefined || known.some(({ value }) => value === String(number))
  const gone = isKnown ? [] : [{ value: String(number), label: `Notification ${number}` }]
  return (
    <Select
      label="Notification"
      placeholder="Any"
      clearable
      clearButtonProps={{ 'aria-label': 'Any notification' }}
      searchable
      w={260}
      data={[{ value: KEY_EXPIRY, label: 'Keys that end' }, ...known, ...gone]}
      value={notification_type ?? (number === undefined ? null : String(number))}
      onChange={value =>
        onChange({
          ...others,
          ...(value === KEY_EXPIRY
            ? { notification_type: KEY_EXPIRY }
            : value !== null && { number: Number(value) }),
        })
      }
    />
  )
}
