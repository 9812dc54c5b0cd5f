// A notification while it is edited, and what becomes of it when it is sent to the server.
import type { Schemas } from '../../parts/schemas.ts'
import { ABOUT, type About, subjectsOf } from './about.ts'
import {
  codesIn,
  ENVIRONMENT_TRIGGERS,
  FLOW_TRIGGERS,
  type Notification,
  type Target,
  type TargetKind,
  type Trigger,
} from './words.ts'

type TargetInput = Schemas['NotificationTargetInput']
export type NotificationInput = Schemas['EnvironmentNotificationPut'] | Schemas['FlowNotificationPut']

/** Kept as it is, taken away, or another one. */
export type SecretChange = { change: 'keep' } | { change: 'remove' } | { change: 'set'; secret: string }

export interface TargetDraft {
  key: string
  type: TargetKind
  /** The word for the type that was read, which is written back: another client may compare it. */
  type_as_read: TargetKind
  webhook: string
  emails: string[]
  secret: SecretChange
  /** The address that has a secret already; another address has none. */
  signed_webhook: string | null
}

export interface NotificationDraft {
  about: About
  name: string
  /** Of the environments or flows. */
  names: string[]
  triggers: Trigger[]
  targets: TargetDraft[]
}

const SECRET_BYTES = 32

let made = 0

export function emptyTarget(type: TargetKind): TargetDraft {
  return {
    key: `target ${made++}`,
    type,
    type_as_read: type,
    webhook: '',
    emails: [],
    secret: { change: 'keep' },
    signed_webhook: null,
  }
}

export function draftOfTarget(target: Target): TargetDraft {
  const empty = { ...emptyTarget(target.neutral_type), type_as_read: target.type }
  if (target.neutral_type === 'EMAIL') return { ...empty, emails: target.emails }
  const isSigned = target.neutral_type === 'WEBHOOK' && target.is_signed
  // The origin stands for an address that only admins see.
  const webhook = target.webhook ?? target.webhook_origin
  return { ...empty, webhook, signed_webhook: isSigned ? webhook : null }
}

export const NEW_NOTIFICATION = (): NotificationDraft => ({
  name: '',
  ...nothingChosen('environments'),
  targets: [emptyTarget('EMAIL')],
})

/** What another kind cannot keep. */
export const nothingChosen = (about: About) => ({ about, names: [], triggers: [ABOUT[about].usual_trigger] })

export function draftOf(notification: Notification): NotificationDraft {
  const { name, triggers, targets } = notification
  return { name, ...subjectsOf(notification), triggers, targets: targets.map(draftOfTarget) }
}

export function targetInput({ type, type_as_read, webhook, emails, secret }: TargetDraft): TargetInput {
  if (type === 'EMAIL') return { type, emails }
  if (type === 'CHAT') return { type: type_as_read as typeof type, webhook }
  const payload_version = '1.0'
  if (secret.change === 'keep') return { type, webhook, payload_version }
  return { type, webhook, payload_version, secret: secret.change === 'set' ? secret.secret : null }
}

export function notificationInput({
  about,
  name,
  names,
  triggers,
  ...draft
}: NotificationDraft): NotificationInput {
  const said = { name, targets: draft.targets.map(targetInput) }
  return about === 'flows'
    ? { ...said, type: 'flow', flows: names, triggers: codesIn(triggers, FLOW_TRIGGERS) }
    : { ...said, type: 'env', environments: names, triggers: codesIn(triggers, ENVIRONMENT_TRIGGERS) }
}

/** As Standard Webhooks wants it. */
export function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
