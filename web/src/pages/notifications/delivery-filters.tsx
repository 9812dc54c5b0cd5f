// The filters of the delivery log. They are kept in the address, so that a view can be shared.
import { Group, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ClearFilters, TimeFilter } from '../../ui/filters.tsx'
import { dropUndefined, type Patch, pickOne } from '../../ui/search-params.ts'
import { EVENTS, type EventType, listKeys, STATUSES } from './codes.ts'
import { notificationsQuery } from './queries.ts'
import type { DeliverySearch } from './search.ts'
import { notificationsTexts } from './texts.ts'
import { deliveriesTexts as texts } from './texts-deliveries.ts'

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
    <Group align="flex-end" role="search" aria-label={texts.deliveryFilters.label}>
      <AboutFilter org={org} filters={filters} onChange={onChange} />
      <Select
        label={texts.deliveryFilters.status}
        placeholder={texts.deliveryFilters.any}
        clearable
        clearButtonProps={{ 'aria-label': texts.deliveryFilters.anyStatus }}
        w={160}
        data={listKeys(STATUSES).map(value => ({ value, label: STATUSES[value].word }))}
        value={status ?? null}
        onChange={value => change({ status: pickOne(value, listKeys(STATUSES)) })}
      />
      <Select
        label={texts.deliveryFilters.event}
        placeholder={texts.deliveryFilters.any}
        clearable
        clearButtonProps={{ 'aria-label': texts.deliveryFilters.anyEvent }}
        w={260}
        data={listKeys<EventType>(EVENTS).map(value => ({ value, label: EVENTS[value] }))}
        value={event_type ?? null}
        onChange={value => change({ event_type: pickOne(value, listKeys<EventType>(EVENTS)) })}
      />
      <TimeFilter label={texts.deliveryFilters.from} value={from} onChange={at => change({ from: at })} />
      <TimeFilter label={texts.deliveryFilters.to} value={to} onChange={at => change({ to: at })} />
      {Object.keys(filters).length > 0 && <ClearFilters onClear={() => onChange({})} />}
    </Group>
  )
}

interface AboutFilterProps {
  org: string
  filters: DeliverySearch
  onChange: (search: DeliverySearch) => void
}

/** Filters by one notification, or by the notices about expiring keys. */
function AboutFilter({ org, filters, onChange }: AboutFilterProps) {
  const notifications = useQuery(notificationsQuery(org))
  const { number, notification_type, ...others } = filters
  const known = (notifications.data ?? []).map(each => ({
    value: String(each.number),
    label: texts.deliveryFilters.named(each.name, each.number),
  }))
  const isKnown = number === undefined || known.some(({ value }) => value === String(number))
  const deleted = isKnown ? [] : [{ value: String(number), label: texts.deliveryFilters.deleted(number) }]
  return (
    <Select
      label={texts.deliveryFilters.notification}
      placeholder={texts.deliveryFilters.any}
      clearable
      clearButtonProps={{ 'aria-label': texts.deliveryFilters.anyNotification }}
      searchable
      w={260}
      data={[{ value: KEY_EXPIRY, label: notificationsTexts.keyExpiry.name }, ...known, ...deleted]}
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
