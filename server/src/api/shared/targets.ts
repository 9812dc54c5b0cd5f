// Where messages go, as the outside sees it: what is taken, what is answered to whom, and what events tell. Addresses of
// webhooks are credentials: only admins see more of them than the origin, and no error or event has them.

import { type Static, Type } from 'typebox'
import type { TargetType } from '../../domain/notification/notice.ts'
import { SECRET_PATTERN } from '../../domain/notification/signature.ts'
import { isRoleAtLeast, type Role } from '../../domain/roles.ts'
import { toWireId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { parseUrl } from '../../lib/url.ts'
import { WEBHOOK_ADDRESS } from '../../notifications/purposes.ts'
import type { StoredTarget } from './targets-store.ts'
import { Closed, EpochSeconds, MailAddress, Nullable } from './wire.ts'

const MAX_TARGETS = 20
const MAX_EMAILS = 50
const MAX_ADDRESS = 2048
const MAX_CONTEXT = 255
const PAYLOAD_VERSION = '1.0'
/** Whatever is wrong with a target, nothing of it is repeated in the error. */
const SECRET = { writeOnly: true } as const

const ConstType = <T extends TargetType>(type: T) => Type.Unsafe<T>({ type: 'string', const: type })
const DefaultType = <T extends TargetType>(type: T) =>
  Type.Optional(Type.Unsafe<T>({ type: 'string', const: type, default: type }))
const Ignored = Type.Optional(
  Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'Accepted and ignored', ...SECRET }),
)
const IGNORED = { last_success_at: Ignored, last_failure_at: Ignored }
const Webhook = (description: string) =>
  Type.String({ pattern: '^https://', maxLength: MAX_ADDRESS, description, ...SECRET })
const ContextText = { type: 'string', maxLength: MAX_CONTEXT, ...SECRET }

/** Where in a chat a webhook leads to, as the chat calls it. */
export interface ChatContext {
  channel_id: string
  channel_name: string
  team_id: string
}

const ChatTargetInput = Closed(
  'ChatTargetInput',
  {
    type: DefaultType('CHAT'),
    webhook: Webhook('The incoming-webhook address of a chat'),
    context: Type.Optional(
      Type.Unsafe<ChatContext | null>({
        type: ['object', 'null'],
        properties: { channel_id: ContextText, channel_name: ContextText, team_id: ContextText },
        required: ['channel_id', 'channel_name', 'team_id'],
        additionalProperties: false,
        description: 'Kept and not answered; left out, it stays as it is',
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
    type: DefaultType('WEBHOOK'),
    webhook: Webhook('The address that messages are posted to'),
    payload_version: Type.Optional(
      Type.Unsafe<typeof PAYLOAD_VERSION>({
        type: 'string',
        const: PAYLOAD_VERSION,
        default: PAYLOAD_VERSION,
        ...SECRET,
      }),
    ),
    secret: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: SECRET_PATTERN,
        description:
          'Messages are signed with it (Standard Webhooks): `whsec_` and the Base64 of 24 to 64 bytes. Never answered. ' +
          'Left out, the one of the same address stays; null removes it; another one signs at once, and the one ' +
          'before as well for 24 hours',
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
    type: DefaultType('EMAIL'),
    emails: Type.Array(Type.Unsafe<string>({ ...MailAddress, ...SECRET }), {
      minItems: 1,
      maxItems: MAX_EMAILS,
      ...SECRET,
    }),
    ...IGNORED,
  },
  SECRET,
)

export type TargetInput =
  | Static<typeof ChatTargetInput>
  | Static<typeof WebhookTargetInput>
  | Static<typeof EmailTargetInput>

// Not `oneOf`: without `type`, an address is right for a chat and for a webhook.
const TargetInput = Type.Unsafe<TargetInput>({
  title: 'NotificationTargetInput',
  description:
    'Without `type` it is EMAIL when it has `emails`, CHAT when it has `context`, and WEBHOOK otherwise. An address that ' +
    'is the origin of a target that is there stands for that target, so that what was read without being admin can be ' +
    'written back',
  anyOf: [ChatTargetInput, WebhookTargetInput, EmailTargetInput],
  ...SECRET,
})

export const TargetInputs = Type.Array(TargetInput, { minItems: 1, maxItems: MAX_TARGETS, ...SECRET })

const STATUS_FIELDS = {
  is_failing: Type.Boolean({
    description: 'Nothing has arrived since an attempt failed, or it is switched off',
  }),
  last_success_at: Nullable(EpochSeconds),
  last_failure_at: Nullable(EpochSeconds),
  last_error: Nullable(Type.String({ description: 'Why the last failed attempt failed' })),
  switched_off_at: Nullable(EpochSeconds),
}

// Absent, and not shortened: a client takes what it reads for what was written.
const ADDRESS = {
  webhook: Type.Optional(Type.String({ description: 'For admins only: it is a credential' })),
  webhook_origin: Type.String({
    description: 'Scheme, host and port of the address; empty when it cannot be read',
  }),
}

const TypeFields = <T extends TargetType>(type: T) => ({
  type: ConstType(type),
  neutral_type: ConstType(type),
})

const ChatTarget = Closed('ChatTarget', { ...TypeFields('CHAT'), ...ADDRESS, ...STATUS_FIELDS })
const WebhookTarget = Closed('WebhookTarget', {
  ...TypeFields('WEBHOOK'),
  ...ADDRESS,
  payload_version: Type.String(),
  is_signed: Type.Boolean({ description: 'Whether it has a secret' }),
  ...STATUS_FIELDS,
})
const EmailTarget = Closed('EmailTarget', {
  ...TypeFields('EMAIL'),
  emails: Type.Array(Type.String()),
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

export const Targets = Type.Array(Target)

/** What a test that was sent answers. */
export const TestDeliveries = Closed('TestDeliveries', {
  deliveries: Type.Array(Type.String(), { description: 'The id of the delivery to each target' }),
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

/** In the word that was sent, and in ours. */
function toWireTypes<T extends TargetType>(neutral_type: T, { client_type }: StoredTarget) {
  return { type: (client_type ?? neutral_type) as T, neutral_type }
}

export function isFailing({ failing_since, switched_off_at }: StoredTarget): boolean {
  return failing_since !== null || switched_off_at !== null
}

/** Undefined for mail, and when it was sealed with a key that is gone. */
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

/** Who may not write a notification, which anybody can be where an org is public, sees where a mail goes and not to whom. */
function toWireEmail(email: string, role: Role): string {
  return isRoleAtLeast(role, 'member') ? email : maskEmail(email)
}

export function maskEmail(email: string): string {
  return email.replace(/^.*@/, '…@')
}

/** What events tell of targets. */
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
