// The API schemas of targets, and what each role and event may show of them. Webhook addresses are credentials: only
// admins see more than the origin, and no error or event contains them.

import { type Static, Type } from 'typebox'
import type { TargetType } from '../../domain/notification/notice.ts'
import { SECRET_PATTERN } from '../../domain/notification/signature.ts'
import { isRoleAtLeast, type Role } from '../../domain/roles.ts'
import { toWireId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { parseUrl } from '../../lib/url.ts'
import { WEBHOOK_ADDRESS } from '../../notifications/purposes.ts'
import { DELIVERY_STATE_FIELDS, toWireDeliveryState } from './delivery-state.ts'
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts'
import type { ChatContext, StoredTarget } from './targets-store.ts'
import { about, Closed, Described, MailAddress, Nullable, Time } from './wire.ts'

const MAX_TARGETS = 20
const MAX_EMAILS = 50
const MAX_ADDRESS = 2048
const MAX_CONTEXT = 255
const PAYLOAD_VERSION = '1.0'
/** Validation errors must not repeat any value of a target. */
const SECRET = { writeOnly: true } as const

const ConstType = <T extends TargetType>(type: T) => Type.Unsafe<T>({ type: 'string', const: type })
const DefaultType = <T extends TargetType>(type: T) =>
  Type.Optional(Type.Unsafe<T>({ type: 'string', const: type, default: type }))
const Ignored = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['number', 'null'],
    ...about('Accepted and ignored', EXAMPLE_TIME),
    ...SECRET,
  }),
)
const IGNORED = { last_success_at: Ignored, last_failure_at: Ignored }
const Webhook = (description: string) =>
  Type.String({
    pattern: '^https://',
    maxLength: MAX_ADDRESS,
    ...about(description, 'https://hooks.example.com/1'),
    ...SECRET,
  })
const ContextText = { type: 'string', maxLength: MAX_CONTEXT, ...SECRET }

const ChatTargetInput = Closed(
  'ChatTargetInput',
  {
    type: Described(DefaultType('CHAT'), 'Type of the target, as it was last sent'),
    webhook: Webhook('The incoming-webhook address of a chat'),
    context: Type.Optional(
      Type.Unsafe<ChatContext | null>({
        type: ['object', 'null'],
        properties: {
          channel_id: Described(ContextText, 'Id of the channel', 'C042'),
          channel_name: Described(ContextText, 'Name of the channel', 'alarms'),
          team_id: Described(ContextText, 'Id of the team', 'T007'),
        },
        required: ['channel_id', 'channel_name', 'team_id'],
        additionalProperties: false,
        description: 'Stored but never returned. Omit to keep the current value',
        ...SECRET,
      }),
    ),
    ...IGNORED,
  },
  SECRET,
)

const WebhookTargetInput = Closed(
  'WebhookTargetInput',
  {
    type: Described(DefaultType('WEBHOOK'), 'Type of the target, as it was last sent'),
    webhook: Webhook('The address that messages are posted to'),
    payload_version: Type.Optional(
      Type.Unsafe<typeof PAYLOAD_VERSION>({
        type: 'string',
        const: PAYLOAD_VERSION,
        default: PAYLOAD_VERSION,
        ...SECRET,
        ...about('Version of the message format', '1.0'),
      }),
    ),
    secret: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: SECRET_PATTERN,
        description:
          'Signs messages (Standard Webhooks): `whsec_` followed by 24 to 64 bytes in Base64. Never returned. Omit to keep ' +
          'the secret of the same address; null removes it. A new secret signs immediately; the old one also signs for ' +
          'another 24 hours',
        ...SECRET,
      }),
    ),
    ...IGNORED,
  },
  SECRET,
)

const EmailTargetInput = Closed(
  'EmailTargetInput',
  {
    type: Described(DefaultType('EMAIL'), 'Type of the target, as it was last sent', 'EMAIL'),
    emails: Type.Array(Type.Unsafe<string>({ ...MailAddress, ...SECRET }), {
      minItems: 1,
      maxItems: MAX_EMAILS,
      ...SECRET,
      ...about('Mail addresses of the recipients', ['ada@example.com']),
    }),
    ...IGNORED,
  },
  SECRET,
)

export type TargetInput =
  | Static<typeof ChatTargetInput>
  | Static<typeof WebhookTargetInput>
  | Static<typeof EmailTargetInput>

// Not `oneOf`: without `type`, an address matches both a chat and a webhook.
const TargetInput = Type.Unsafe<TargetInput>({
  title: 'NotificationTargetInput',
  description:
    'Without `type`, it is EMAIL if it has `emails`, CHAT if it has `context`, and WEBHOOK otherwise. The origin of an ' +
    'existing target stands for that target, so non-admins, who only see origins, can send back what they read',
  anyOf: [ChatTargetInput, WebhookTargetInput, EmailTargetInput],
  ...SECRET,
})

export const TargetInputs = Type.Array(TargetInput, {
  minItems: 1,
  maxItems: MAX_TARGETS,
  ...SECRET,
  ...about('Where messages are sent'),
})

const STATUS_FIELDS = {
  is_failing: Type.Boolean({
    description:
      'Whether it is failing: the last attempt failed and none has succeeded since, or the target is switched off',
  }),
  last_success_at: Nullable(Time('Time of the last successful delivery; null means never')),
  last_failure_at: Nullable(Time('Time of the last failed delivery; null means never'), { examples: [null] }),
  last_error: Nullable(Type.String({ description: 'Reason of the last failed attempt' }), {
    examples: [null],
  }),
  switched_off_at: Nullable(
    Time('Time when the target was switched off because it kept failing; null if it is on'),
    { examples: [null] },
  ),
  ...DELIVERY_STATE_FIELDS,
}

// Absent for non-admins rather than shortened: clients assume that they read what was written.
const ADDRESS = {
  webhook: Type.Optional(
    Type.String(
      about(
        'The webhook URL; only returned to admins, because it is a credential',
        'https://hooks.example.com/1',
      ),
    ),
  ),
  webhook_origin: Type.String(
    about(
      'Scheme, host and port of the address; empty if it cannot be decrypted',
      'https://hooks.example.com',
    ),
  ),
}

const TypeFields = <T extends TargetType>(type: T) => ({
  type: Described(ConstType(type), 'Type of the target, as it was last sent', type),
  neutral_type: Described(ConstType(type), 'Type of the target, in the terms of this document', type),
})

const ChatTarget = Closed('ChatTarget', { ...TypeFields('CHAT'), ...ADDRESS, ...STATUS_FIELDS })
const WebhookTarget = Closed('WebhookTarget', {
  ...TypeFields('WEBHOOK'),
  ...ADDRESS,
  payload_version: Type.String(about('Version of the message format', '1.0')),
  is_signed: Type.Boolean({ description: 'Whether messages are signed with a secret' }),
  ...STATUS_FIELDS,
})
const EmailTarget = Closed('EmailTarget', {
  ...TypeFields('EMAIL'),
  emails: Type.Array(Type.String(), about('Mail addresses of the recipients', ['ada@example.com'])),
  ...STATUS_FIELDS,
})

type Target = Static<typeof ChatTarget> | Static<typeof WebhookTarget> | Static<typeof EmailTarget>

const Target = Type.Unsafe<Target>({
  title: 'NotificationTarget',
  oneOf: [ChatTarget, WebhookTarget, EmailTarget],
  discriminator: {
    propertyName: 'type',
    mapping: {
      CHAT: '#/components/schemas/ChatTarget',
      WEBHOOK: '#/components/schemas/WebhookTarget',
      EMAIL: '#/components/schemas/EmailTarget',
    },
  },
})

export const Targets = Type.Array(Target, about('Where messages are sent'))

export const TestDeliveries = Closed('TestDeliveries', {
  deliveries: Type.Array(Type.String(), about('The id of the delivery to each target', [EXAMPLE_ID])),
})

export function toWireTest(job_ids: readonly string[]): Static<typeof TestDeliveries> {
  return { deliveries: job_ids.map(toWireId) }
}

export function toWireTargets(targets: readonly StoredTarget[], role: Role, sealer: Sealer): Target[] {
  return targets.map(target => {
    const status = {
      is_failing: isFailing(target),
      last_success_at: target.last_success_at,
      last_failure_at: target.last_failure_at,
      last_error: target.last_error,
      switched_off_at: target.switched_off_at,
      ...toWireDeliveryState(target),
    }
    if (target.type === 'EMAIL') {
      return {
        ...toWireTypes(target.type, target),
        emails: (target.emails ?? []).map(email => toWireEmail(email, role)),
        ...status,
      }
    }
    const address = toWireAddress(openAddress(target, sealer), role)
    if (target.type === 'CHAT') return { ...toWireTypes(target.type, target), ...address, ...status }
    const payload_version = target.payload_version ?? PAYLOAD_VERSION
    const is_signed = target.secret_sealed !== null
    return { ...toWireTypes(target.type, target), ...address, payload_version, is_signed, ...status }
  })
}

/** The type as the client sent it, and the neutral one. */
function toWireTypes<T extends TargetType>(neutral_type: T, { client_type }: StoredTarget) {
  return { type: (client_type ?? neutral_type) as T, neutral_type }
}

export function isFailing({ failing_since, switched_off_at }: StoredTarget): boolean {
  return failing_since !== null || switched_off_at !== null
}

/** Undefined for mail, and if the key that sealed the address no longer exists. */
export function openAddress({ webhook_sealed }: StoredTarget, sealer: Sealer): string | undefined {
  return webhook_sealed === null ? undefined : sealer.open(WEBHOOK_ADDRESS, webhook_sealed)
}

export function toOrigin(address: string | undefined): string | undefined {
  return address === undefined ? undefined : parseUrl(address)?.origin
}

function toWireAddress(address: string | undefined, role: Role) {
  return {
    ...(role === 'admin' ? { webhook: address ?? '' } : {}),
    webhook_origin: toOrigin(address) ?? '',
  }
}

/** Readers, who may be anyone if the org is public, and snapshotters see only the domain. */
function toWireEmail(email: string, role: Role): string {
  return role === 'auditor' || isRoleAtLeast(role, 'member') ? email : maskEmail(email)
}

export function maskEmail(email: string): string {
  return email.replace(/^.*@/, '…@')
}

/** The details of targets in events. */
export function summarizeTargets(
  targets: readonly StoredTarget[],
  sealer: Sealer,
): Record<string, unknown>[] {
  return targets.map(target =>
    target.type === 'EMAIL'
      ? { type: target.type, addresses: target.emails?.length ?? 0 }
      : { type: target.type, origin: toOrigin(openAddress(target, sealer)) ?? '' },
  )
}
