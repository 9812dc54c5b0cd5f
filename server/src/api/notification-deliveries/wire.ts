// API schemas of the delivery log.
import { type Static, Type } from 'typebox'
import { formatHeadline } from '../../domain/notification/describe.ts'
import type { EventType, Notice } from '../../domain/notification/notice.ts'
import { MAX_EPOCH_SECONDS } from '../../domain/period.ts'
import { toWireId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { WEBHOOK_ADDRESS } from '../../notifications/purposes.ts'
import { DELIVERY_STATE_FIELDS, toWireDeliveryState } from '../shared/delivery-state.ts'
import { EpochTime } from '../shared/epoch-times.ts'
import { EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import { CreatedAt, OrgName } from '../shared/fields.ts'
import { NextCursor, PerPageUpTo } from '../shared/page.ts'
import { maskEmail } from '../shared/targets.ts'
import { about, Closed, Described, Nullable, OneOf, Time, toEpoch, toEpochOrNull } from '../shared/wire.ts'
import type { AttemptRow, DeliveryRow } from './store.ts'

const MAX_PER_PAGE = 100
const MAX_NUMBER = 2_147_483_647
const TIME_RANGE = { minimum: 0, maximum: MAX_EPOCH_SECONDS }
const EVENT_TYPES = [
  'STARTED_ARTIFACT',
  'EXITED_ARTIFACT',
  'SCALED_ARTIFACT',
  'ALLOWED_ARTIFACT',
  'NON_COMPLIANT_ENV',
  'COMPLIANT_ENV',
  'STALE_ENV',
  'REPORTING_ENV',
  'STARTED_TRAIL',
  'ATTESTED_PROVENANCE',
  'ATTESTATION',
  'APPROVAL',
  'RELEASE',
  'API_KEY_EXPIRY',
  'TEST',
  'TARGET_SWITCHED_OFF',
  'LOG_FORK',
  'SCIM_TOKEN_STOPPED',
] as const satisfies EventType[]

const WireEventType = OneOf([...EVENT_TYPES])
const NotificationType = OneOf(['api_key_expiry'])
const TargetKind = OneOf(['CHAT', 'WEBHOOK', 'EMAIL'], about('Type of the target', 'EMAIL'))
const Status = OneOf(['pending', 'delivered', 'failed', 'suppressed'])
const NotificationNumber = Type.Integer({
  minimum: 1,
  maximum: MAX_NUMBER,
  description: 'Number of a notification about environments or flows',
})

export const DeliveryPath = Closed('NotificationDeliveryPath', {
  org: OrgName,
  delivery_id: Type.String(about('Id of the delivery', EXAMPLE_ID)),
})

export const DeliveriesQuery = Closed('NotificationDeliveriesQuery', {
  number: Type.Optional(NotificationNumber),
  notification_type: Type.Optional(
    Described(NotificationType, 'Only messages of this type of account notification', 'api_key_expiry'),
  ),
  event_type: Type.Optional(
    Described(WireEventType, 'Only messages about this type of event', 'NON_COMPLIANT_ENV'),
  ),
  status: Type.Optional(Described(Status, 'Only messages with this delivery status', 'failed')),
  from: EpochTime('Created at or after, in epoch seconds'),
  to: EpochTime('Created at or before, in epoch seconds'),
  per_page: PerPageUpTo(MAX_PER_PAGE),
  cursor: Type.Optional(Type.String(about('The `next` of the previous page', EXAMPLE_ID))),
})
export type DeliveriesQuery = Static<typeof DeliveriesQuery>

const DELIVERY = {
  id: Type.String(
    about('Id of the delivery, also sent as the `webhook-id`; the same in every attempt', EXAMPLE_ID),
  ),
  event_type: Described(WireEventType, 'Type of the event that the message reports', 'NON_COMPLIANT_ENV'),
  notification: Nullable(
    Closed(
      'NotificationOfDelivery',
      {
        number: Type.Integer(about('Number of the notification', 1)),
        name: Type.String(about('Name of the notification', 'Production alarm')),
      },
      { description: 'The notification that caused it; null if it is not about environments or flows' },
    ),
  ),
  notification_type: Nullable(
    NotificationType,
    about('Type of the account notification that caused the message; null for other messages', null),
  ),
  target: Closed(
    'TargetOfDelivery',
    {
      type: TargetKind,
      shown: Type.String(
        about(
          'The origin of the webhook, or the mail addresses; only admins see more of these than the domain',
          'ada@example.com',
        ),
      ),
      ...DELIVERY_STATE_FIELDS,
    },
    about('Where messages are sent'),
  ),
  description: Type.String(about('The message in one line', 'Environment production is not compliant')),
  status: Described(Status, 'Delivery status', 'delivered'),
  created_at: CreatedAt,
  attempts: Type.Integer(about('Number of attempts since it was created or replayed', 1)),
  next_attempt_at: Nullable(
    Type.Number({
      description:
        'Time of the next attempt, in epoch seconds; not before the pause of the target ends; null if it is finished',
    }),
    {
      examples: [null],
    },
  ),
  finished_at: Nullable(Time('Time of delivery or of giving up; null while it is pending')),
  error: Nullable(Type.String({ description: 'Reason why the latest attempt failed' }), { examples: [null] }),
  suppressed: Nullable(OneOf(['stopped', 'held']), {
    description:
      'Why it was not sent: the address accepts no mail from this service, or it is held back for the daily digest of the ' +
      'address; null for other messages',
    examples: [null],
  }),
}

export const Delivery = Closed('NotificationDelivery', DELIVERY)
export type Delivery = Static<typeof Delivery>

export const Deliveries = Closed('NotificationDeliveries', {
  deliveries: Type.Array(Delivery, about('The deliveries, newest first')),
  next: NextCursor,
})

const Attempt = Closed('DeliveryAttempt', {
  attempted_at: Time('Time of the attempt'),
  duration_ms: Type.Integer(about('Duration in milliseconds', 120)),
  status: Nullable(Type.Integer(about('HTTP status of the response; null if there was none', 200))),
  error: Nullable(Type.String({ description: 'The error; null if the attempt succeeded' }), {
    examples: [null],
  }),
  answer: Nullable(Type.String({ description: 'Start of the response body; only returned to admins' }), {
    examples: [null],
  }),
})

export const DeliveryWithAttempts = Closed('NotificationDeliveryWithAttempts', {
  ...DELIVERY,
  attempt_log: Type.Array(Attempt, { description: 'All attempts, oldest first' }),
})

export const ReplayPost = Closed('NotificationDeliveriesReplay', {
  from: Type.Number({
    ...TIME_RANGE,
    ...about('Created at or after, in epoch seconds', EXAMPLE_TIME),
  }),
  to: Type.Number({
    ...TIME_RANGE,
    ...about('Created at or before, in epoch seconds', 1_772_625_600),
  }),
  status: Type.Optional(OneOf(['failed', 'delivered', 'all'], { description: 'Defaults to `failed`' })),
  number: Type.Optional(NotificationNumber),
  notification_type: Type.Optional(
    Described(NotificationType, 'Only messages of this type of account notification'),
  ),
})
export type ReplayPost = Static<typeof ReplayPost>

export const Replayed = Closed('NotificationDeliveriesReplayed', {
  replayed: Type.Integer(about('Number of messages that are sent again', 3)),
})
export type Replayed = Static<typeof Replayed>

/** Decides how much is shown, and decrypts the addresses of targets. */
export interface Viewer {
  is_admin: boolean
  sealer: Sealer
}

export function toWire(row: DeliveryRow, viewer: Viewer): Delivery {
  const { number, name } = row
  return {
    id: toWireId(row.job_id),
    event_type: row.event_type as Delivery['event_type'],
    notification: number === null || name === null ? null : { number, name },
    notification_type: row.notification_type as Delivery['notification_type'],
    target: toTarget(row, viewer),
    description: formatHeadline(viewer.is_admin ? row.notice : maskAddresses(row.notice)),
    status: row.status as Delivery['status'],
    created_at: toEpoch(row.created_at),
    attempts: row.attempts,
    next_attempt_at: row.finished_at === null ? toEpoch(getNextAttempt(row)) : null,
    finished_at: toEpochOrNull(row.finished_at),
    error: row.last_error,
    suppressed: row.suppressed as Delivery['suppressed'],
  }
}

export function toWireAttempt(row: AttemptRow, { is_admin }: Viewer): Static<typeof Attempt> {
  const { duration_ms, status, error } = row
  const answer = is_admin ? row.answer : null
  return { attempted_at: toEpoch(row.attempted_at), duration_ms, status, error, answer }
}

/** While a target is paused, its messages wait. */
function getNextAttempt({ due_at, paused_until }: DeliveryRow): Date {
  return paused_until !== null && paused_until > due_at ? paused_until : due_at
}

function toTarget(row: DeliveryRow, { is_admin, sealer }: Viewer): Delivery['target'] {
  const type = (row.target_type ?? 'EMAIL') as Delivery['target']['type']
  const state = toWireDeliveryState({ ...row, paused_until: toEpochOrNull(row.paused_until) })
  if (type !== 'EMAIL') return { type, shown: describeOrigin(row.webhook_sealed, sealer), ...state }
  const addresses = row.emails ?? (row.derived_address === null ? [] : [row.derived_address])
  const shown = addresses.map(address => (is_admin ? address : maskEmail(address))).join(', ')
  return { type, shown, ...state }
}

/** The rest of a webhook address is a credential, so nobody sees it here. */
function describeOrigin(sealed: string | null, sealer: Sealer): string {
  const address = sealed === null ? undefined : sealer.open(WEBHOOK_ADDRESS, sealed)
  // Undefined if the operator replaced the key that sealed it.
  return address === undefined ? 'an address that can no longer be read' : new URL(address).origin
}

function maskAddresses(notice: Notice): Notice {
  if (notice.about !== 'target' || notice.target.type !== 'EMAIL') return notice
  const shown = notice.target.shown.split(', ').map(maskEmail).join(', ')
  return { ...notice, target: { ...notice.target, shown } }
}
