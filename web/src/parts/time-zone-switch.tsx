// Chooses whether the user sees times in their own time zone or in UTC.
import { SegmentedControl } from '@mantine/core'
import { api, queries, sessionQuery, unwrap } from '../api.ts'
import type { TimeZone } from '../ui/local-time.ts'
import { useChange } from '../ui/use-change.ts'
import { partsTexts as texts } from './texts.ts'
import { useTimeZone } from './use-time-zone.ts'

const ZONES = [
  { value: 'local', label: texts.time.local },
  { value: 'utc', label: texts.time.utc },
] as const satisfies readonly { value: TimeZone; label: string }[]

export function TimeZoneSwitch() {
  const zone = useTimeZone()
  const choose = useChange(
    (time_zone: TimeZone) => unwrap(api.PUT('/user/settings/time-zone', { body: { time_zone } })),
    {
      notice: (_, time_zone) => texts.time.zoneSaved(time_zone),
      onDone: () => void queries.invalidateQueries(sessionQuery),
    },
  )
  return (
    <SegmentedControl
      aria-label={texts.time.zone}
      data={[...ZONES]}
      value={choose.isPending ? choose.variables : zone}
      onChange={value => choose.mutate(value)}
    />
  )
}
