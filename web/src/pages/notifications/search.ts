// The query parameters of the notification pages.
import {
  dropUndefined,
  pickOne,
  type RawSearch,
  readCount,
  readText,
  readTime,
} from '../../ui/search-params.ts'
import { type DeliveryStatus, EVENTS, type EventType, listKeys, STATUSES } from './codes.ts'

/** The page number of each list. */
export interface NotificationsSearch {
  environments?: number
  flows?: number
}

/** Environments are the default. */
export interface AboutSearch {
  about?: 'flows'
}

export const readAboutSearch = ({ about }: RawSearch): AboutSearch =>
  dropUndefined({ about: pickOne(about, ['flows']) })

/** Times are in seconds since 1970. `delivery` is the open delivery. */
export interface DeliverySearch {
  number?: number
  notification_type?: 'api_key_expiry'
  event_type?: EventType
  status?: DeliveryStatus
  from?: number
  to?: number
  cursor?: string
  delivery?: string
}

export function readDeliverySearch(search: RawSearch): DeliverySearch {
  return dropUndefined({
    number: readCount(search.number),
    notification_type: pickOne(search.notification_type, ['api_key_expiry']),
    event_type: pickOne(search.event_type, listKeys<EventType>(EVENTS)),
    status: pickOne(search.status, listKeys(STATUSES)),
    from: readTime(search.from),
    to: readTime(search.to),
    cursor: readText(search.cursor),
    delivery: readText(search.delivery),
  })
}
