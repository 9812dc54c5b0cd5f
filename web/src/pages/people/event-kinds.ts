// The event kinds, for the filter. The table of live updates has a row for each, and for two changes that no
// log records.
import { AFFECTED, type EventKind } from '../../live/affected.ts'

const UNRECORDED: readonly string[] = ['environment_reported', 'delivery_finished']

export const EVENT_KINDS = (Object.keys(AFFECTED) as EventKind[]).filter(kind => !UNRECORDED.includes(kind))
