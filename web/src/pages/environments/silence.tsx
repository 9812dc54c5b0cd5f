// Says that nothing was reported for a while. The state stays what it was: green may only mean that the reporter died.
import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { environmentsQuery } from '../../parts/queries.ts'
import { counted } from '../../ui/counted.ts'
import type { Environment } from './answers.ts'

const DAY_SECONDS = 24 * 60 * 60

/** Whole days, or none where it reported within the last one or never did. */
function silentDays({ last_reported_at }: Environment): number {
  if (last_reported_at === null) return 0
  return Math.floor((Date.now() / 1000 - last_reported_at) / DAY_SECONDS)
}

interface SilenceProps {
  environment: Environment
  /** What else is on the page: the server is asked only where some of those that it combines are not. */
  beside?: readonly Environment[]
}

/** Of a logical environment: which of those that it combines are silent. */
export function Silence({ environment, beside = [] }: SilenceProps) {
  const combined = environment.included_environments ?? []
  const isBeside = combined.every(name => beside.some(each => each.name === name))
  const all = useQuery({ ...environmentsQuery(environment.org), enabled: !isBeside })
  if (environment.type !== 'logical') return <Silent days={silentDays(environment)} />
  return (isBeside ? beside : (all.data ?? []))
    .filter(({ name }) => combined.includes(name))
    .map(member => <Silent key={member.name} days={silentDays(member)} where={member.name} />)
}

function Silent({ days, where }: { days: number; where?: string }) {
  if (days === 0) return null
  return (
    <Badge
      color="yellow"
      variant="light"
      tt="none"
      miw="max-content"
      // On a tint, only the colour of text has enough contrast.
      c="var(--mantine-color-text)"
      leftSection={<span aria-hidden="true">◷</span>}
    >
      {where === undefined ? 'No report' : `${where}: no report`} for {counted(days, 'day')}
    </Badge>
  )
}
