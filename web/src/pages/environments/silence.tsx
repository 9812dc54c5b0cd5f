// Says that an environment is not heard of any more: since when, and how often it should be.
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EnvironmentLink } from '../../parts/links.tsx'
import { environmentsQuery } from '../../parts/queries.ts'
import { ExactTime } from '../../parts/time.tsx'
import { formatInterval } from '../../ui/duration.ts'
import type { Environment } from './answers.ts'

interface SilenceProps {
  environment: Environment
  /** What else is on the page: the server is asked only where some of those that it combines are not. */
  beside?: readonly Environment[]
}

/** Of a logical environment: which of those that it combines are stale. */
export function Silence({ environment, beside = [] }: SilenceProps) {
  const { org, is_stale, type } = environment
  const combined = environment.included_environments ?? []
  const isBeside = combined.every(name => beside.some(each => each.name === name))
  const all = useQuery({ ...environmentsQuery(org), enabled: is_stale && !isBeside })
  if (!is_stale) return null
  if (type !== 'logical')
    return (
      <Text size="sm">
        No report <SinceWhen environment={environment} />
      </Text>
    )
  const members = (isBeside ? beside : (all.data ?? [])).filter(
    member => member.is_stale && combined.includes(member.name),
  )
  return (
    <Stack gap={2}>
      {members.map(member => (
        <Text key={member.name} size="sm">
          <EnvironmentLink org={org} environment={member.name} />: no report{' '}
          <SinceWhen environment={member} />
        </Text>
      ))}
    </Stack>
  )
}

function SinceWhen({ environment }: { environment: Environment }) {
  const { last_reported_at, expected_report_interval } = environment
  return (
    <>
      {last_reported_at !== null && (
        <>
          since <ExactTime at={last_reported_at} />
        </>
      )}
      {expected_report_interval !== null && `; expected ${formatInterval(expected_report_interval)}`}
    </>
  )
}
