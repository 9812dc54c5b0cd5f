// Maps an environment change to the events that notifications subscribe to. The two events about the environment
// itself are transitions: an environment that stays non-compliant is not announced again.
import type { AnnotationType } from '../snapshot/annotation.ts'
import type { Verdict } from '../snapshot/compliance.ts'
import type { EnvironmentEvent, Trigger } from './notice.ts'

type ArtifactEvent = 'STARTED_ARTIFACT' | 'EXITED_ARTIFACT' | 'SCALED_ARTIFACT'

/** `scaled` is annotated only if the environment includes scaling; `changed` is a verdict that became unknown. */
const EVENT_BY_ANNOTATION: Readonly<Record<AnnotationType, ArtifactEvent | null>> = {
  'started-compliant': 'STARTED_ARTIFACT',
  'started-non-compliant': 'STARTED_ARTIFACT',
  'started-unknown': 'STARTED_ARTIFACT',
  exited: 'EXITED_ARTIFACT',
  scaled: 'SCALED_ARTIFACT',
  'became-compliant': 'SCALED_ARTIFACT',
  'became-non-compliant': 'SCALED_ARTIFACT',
  'updated-provenance': 'SCALED_ARTIFACT',
  changed: 'SCALED_ARTIFACT',
  unchanged: null,
}
const EVENT_ORDER: readonly ArtifactEvent[] = ['STARTED_ARTIFACT', 'EXITED_ARTIFACT', 'SCALED_ARTIFACT']

export interface TriggeredEvent<Artifact> {
  event_type: EnvironmentEvent
  /** In the given order; empty if the event is about the environment. */
  artifacts: Artifact[]
}

export function computeEvents<Artifact extends { change: string }>(given: {
  before: Verdict
  after: Verdict
  /** `change` is the annotation of the snapshot. */
  changes: readonly Artifact[]
}): TriggeredEvent<Artifact>[] {
  const { before, after, changes } = given
  const events: TriggeredEvent<Artifact>[] = EVENT_ORDER.map(event_type => ({
    event_type,
    artifacts: changes.filter(({ change }) => toArtifactEvent(change) === event_type),
  })).filter(({ artifacts }) => artifacts.length > 0)
  if (after === false && before !== false) events.push({ event_type: 'NON_COMPLIANT_ENV', artifacts: [] })
  if (after === true && before !== true) events.push({ event_type: 'COMPLIANT_ENV', artifacts: [] })
  return events
}

export function toTrigger(event_type: EnvironmentEvent): Trigger {
  return event_type === 'REPORTING_ENV' ? 'ON_STALE_ENV' : `ON_${event_type}`
}

function toArtifactEvent(change: string): ArtifactEvent | null {
  return Object.hasOwn(EVENT_BY_ANNOTATION, change) ? EVENT_BY_ANNOTATION[change as AnnotationType] : null
}
