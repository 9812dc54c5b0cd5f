// A notification while it is edited, and its conversion to and from the API.
import type { Schemas } from '../../parts/schemas.ts'
import { ABOUT, type About, getSubjects } from './about.ts'
import {
  ENVIRONMENT_TRIGGERS,
  FLOW_TRIGGERS,
  type Notification,
  pickCodes,
  type Target,
  type TargetKind,
  type Trigger,
} from './codes.ts'

type TargetInput = Schemas['NotificationTargetInput']
export type NotificationInput = Schemas['EnvironmentNotificationPut'] | Schemas['FlowNotificationPut']

/** The effect of saving on the signing secret. */
export type SecretChange = { change: 'keep' } | { change: 'remove' } | { change: 'set'; secret: string }

export interface TargetDraft {
  key: string
  type: TargetKind
  /** The type as the API returned it. It is sent back unchanged, because other clients may compare it. */
  type_as_read: TargetKind
  webhook: string
  emails: string[]
  secret: SecretChange
  /** The URL that already has a secret; a new URL has none. */
  signed_webhook: string | null
}

export interface NotificationDraft {
  about: About
  name: string
  /** Names of environments or flows. */
  names: string[]
  triggers: Trigger[]
  targets: TargetDraft[]
}

const SECRET_BYTES = 32

let createdCount = 0

export function createTarget(type: TargetKind): TargetDraft {
  return {
    key: `target ${createdCount++}`,
    type,
    type_as_read: type,
    webhook: '',
    emails: [],
    secret: { change: 'keep' },
    signed_webhook: null,
  }
}

export function toTargetDraft(target: Target): TargetDraft {
  const empty = { ...createTarget(target.neutral_type), type_as_read: target.type }
  if (target.neutral_type === 'EMAIL') return { ...empty, emails: target.emails }
  const isSigned = target.neutral_type === 'WEBHOOK' && target.is_signed
  // Only admins see the whole URL; everyone else sees its origin.
  const webhook = target.webhook ?? target.webhook_origin
  return { ...empty, webhook, signed_webhook: isSigned ? webhook : null }
}

export const createDraft = (): NotificationDraft => ({
  name: '',
  ...resetChoices('environments'),
  targets: [createTarget('EMAIL')],
})

/** The choices that cannot be kept when the kind changes. */
export const resetChoices = (about: About) => ({ about, names: [], triggers: [ABOUT[about].default_trigger] })

export function toDraft(notification: Notification): NotificationDraft {
  const { name, triggers, targets } = notification
  return { name, ...getSubjects(notification), triggers, targets: targets.map(toTargetDraft) }
}

export function toTargetInput({ type, type_as_read, webhook, emails, secret }: TargetDraft): TargetInput {
  if (type === 'EMAIL') return { type, emails }
  if (type === 'CHAT') return { type: type_as_read as typeof type, webhook }
  const payload_version = '1.0'
  if (secret.change === 'keep') return { type, webhook, payload_version }
  return { type, webhook, payload_version, secret: secret.change === 'set' ? secret.secret : null }
}

export function toNotificationInput({
  about,
  name,
  names,
  triggers,
  ...draft
}: NotificationDraft): NotificationInput {
  const common = { name, targets: draft.targets.map(toTargetInput) }
  return about === 'flows'
    ? { ...common, type: 'flow', flows: names, triggers: pickCodes(triggers, FLOW_TRIGGERS) }
    : { ...common, type: 'env', environments: names, triggers: pickCodes(triggers, ENVIRONMENT_TRIGGERS) }
}

/** In the format of Standard Webhooks. */
export function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
