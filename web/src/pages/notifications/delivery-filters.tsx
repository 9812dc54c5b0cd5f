// The filters of the log of deliveries. They are the address, so that a view can be sent to somebody.
import { Button, Group, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { fromField, toField } from './local-time.ts'
import { notificationsQuery } from './queries.ts'
import type { DeliverySearch } from './routes.ts'
import { type DeliveryStatus, EVENTS, type EventType, keysOf, STATUSES } from './words.ts'

const KEY_EXPIRY = 'api_key_expiry'

interface DeliveryFiltersProps {
  org: string
  search: DeliverySearch
  onChange: (search: DeliverySearch) => void
}

export function DeliveryFilters({ org, search, onChange }: DeliveryFiltersProps) {
  const { cursor: _page, delivery: _open, ...filters } = search
  const { status, event_type, from, to, ...rest } = filters
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
        onChange={value =>
          onChange({ ...without(filters, 'status'), ...(value && { status: value as DeliveryStatus }) })
        }
      />
      <Select
        label="What happened"
        placeholder="Anything"
        clearable
        clearButtonProps={{ 'aria-label': 'Anything that happened' }}
        w={260}
        data={keysOf(EVENTS).map(value => ({ value, label: EVENTS[value] }))}
        value={event_type ?? null}
        onChange={value =>
          onChange({ ...without(filters, 'event_type'), ...(value && { event_type: value as EventType }) })
        }
      />
      <TimeFilter
        label="From"
        at={from}
        onChange={at => onChange({ ...without(filters, 'from'), ...(at !== undefined && { from: at }) })}
      />
      <TimeFilter
        label="To"
        at={to}
        onChange={at => onChange({ ...without(filters, 'to'), ...(at !== undefined && { to: at }) })}
      />
      {(status ?? event_type ?? from ?? to ?? rest.number ?? rest.notification_type) !== undefined && (
        <Button variant="subtle" onClick={() => onChange({})}>
          Clear all
        </Button>
      )}
    </Group>
  )
}

function without<Key extends keyof DeliverySearch>(search: DeliverySearch, key: Key) {
  const { [key]: _gone, ...rest } = search
  return rest
}

interface AboutFilterProps {
  org: string
  filters: DeliverySearch
  onChange: (search: DeliverySearch) => void
}

/** A notification about environments, or the one about keys: never both. */
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

interface TimeFilterProps {
  label: string
  at: number | undefined
  onChange: (at: number | undefined) => void
}

export function TimeFilter({ label, at, onChange }: TimeFilterProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      w={220}
      value={toField(at)}
      onChange={({ currentTarget }) => onChange(fromField(currentTarget.value))}
    />
  )
}
