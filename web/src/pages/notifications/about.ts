// What notifications can be about, and what differs between the kinds.
import { pickOne } from '../../ui/search-params.ts'
import { ENVIRONMENT_TRIGGERS, FLOW_TRIGGERS, keysOf, type Notification, type Trigger } from './words.ts'

export type About = 'environments' | 'flows'

/** In the order in which they are shown. */
export const KINDS_OF_NOTIFICATION = ['environments', 'flows'] as const satisfies readonly About[]

interface WordsAbout {
  label: string
  noun: string
  /** A name that one could have. */
  such_as: string
  triggers: readonly Trigger[]
  /** What a new one tells until somebody chooses. */
  usual_trigger: Trigger
  tells: string
}

export const ABOUT: Record<About, WordsAbout> = {
  environments: {
    label: 'Environments',
    noun: 'environment',
    such_as: 'Production turns red',
    triggers: keysOf(ENVIRONMENT_TRIGGERS),
    usual_trigger: 'ON_NON_COMPLIANT_ENV',
    tells: 'A notification tells people, a chat or a program when something happens in an environment.',
  },
  flows: {
    label: 'Flows',
    noun: 'flow',
    such_as: 'Releases of the backend',
    triggers: keysOf(FLOW_TRIGGERS),
    usual_trigger: 'ON_RELEASE',
    tells:
      'A notification tells people, a chat or a program of each thing that happens in a flow, such as an approval.',
  },
}

/** One that somebody could make with a command. */
export const exampleOf = (about: About) => ({
  name: ABOUT[about].such_as,
  [about]: [about === 'flows' ? 'backend' : 'production'],
  triggers: [ABOUT[about].usual_trigger],
  targets: [{ type: 'EMAIL', emails: ['on-call@example.com'] }],
})

export function subjectsOf(notification: Notification): { about: About; names: string[] } {
  return notification.type === 'flow'
    ? { about: 'flows', names: notification.flows }
    : { about: 'environments', names: notification.environments }
}

/** After the question mark of an address: it is about environments unless it is said. */
export interface AboutSearch {
  about?: 'flows'
}

export const aboutSearch = (about: About): AboutSearch => (about === 'flows' ? { about } : {})

export const aboutOf = (value: unknown) => pickOne(value, ['flows'])
