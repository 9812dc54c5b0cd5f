// The subjects of notifications, and how their two kinds differ.
import { ENVIRONMENT_TRIGGERS, FLOW_TRIGGERS, listKeys, type Notification, type Trigger } from './codes.ts'
import type { AboutSearch } from './search.ts'
import { notificationsTexts as texts } from './texts.ts'

export type About = 'environments' | 'flows'

/** In the order in which they are shown. */
export const KINDS_OF_NOTIFICATION = ['environments', 'flows'] as const satisfies readonly About[]

interface AboutOptions {
  triggers: readonly Trigger[]
  /** Selected in a new notification. */
  default_trigger: Trigger
}

export const ABOUT: Record<About, AboutOptions> = {
  environments: { triggers: listKeys(ENVIRONMENT_TRIGGERS), default_trigger: 'ON_NON_COMPLIANT_ENV' },
  flows: { triggers: listKeys(FLOW_TRIGGERS), default_trigger: 'ON_RELEASE' },
}

/** The body of an example command that creates a notification. */
export const buildExample = (about: About) => ({
  name: texts[about].example,
  [about]: [about === 'flows' ? 'backend' : 'production'],
  triggers: [ABOUT[about].default_trigger],
  targets: [{ type: 'EMAIL', emails: ['on-call@example.com'] }],
})

export function getSubjects(notification: Notification): { about: About; names: string[] } {
  return notification.type === 'flow'
    ? { about: 'flows', names: notification.flows }
    : { about: 'environments', names: notification.environments }
}

export const buildAboutSearch = (about: About): AboutSearch => (about === 'flows' ? { about } : {})
