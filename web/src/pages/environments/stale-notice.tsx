// Warns that an environment is stale: when it last reported, and how often it should.
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EnvironmentLink } from '../../parts/links.tsx'
import { environmentsQuery } from '../../parts/queries.ts'
import { ExactTime } from '../../parts/time.tsx'
import { formatInterval } from '../../ui/duration.ts'
import type { Environment } from './answers.ts'
import { environmentTexts as texts } from './texts.ts'

interface StaleNoticeProps {
  environment: Environment
  /**
   * Other environments on the page. A request is needed only for combined environments that are not among
   * them.
   */
  beside?: readonly Environment[]
}

/** For a logical environment, lists the stale environments it combines. */
export function StaleNotice({ environment, beside = [] }: StaleNoticeProps) {
  const { org, is_stale, type } = environment
  const combined = environment.included_environments ?? []
  const isBeside = combined.every(name => beside.some(each => each.name === name))
  const all = useQuery({ ...environmentsQuery(org), enabled: is_stale && !isBeside })
  if (!is_stale) return null
  if (type !== 'logical')
    return (
      <Text size="sm">
        {texts.stale.noReport} <SinceWhen environment={environment} />
      </Text>
    )
  const members = (isBeside ? beside : (all.data ?? [])).filter(
    member => member.is_stale && combined.includes(member.name),
  )
  return (
    <Stack gap={2}>
      {members.map(member => (
        <Text key={member.name} size="sm">
          <EnvironmentLink org={org} environment={member.name} />
          {texts.stale.noReportOfMember} <SinceWhen environment={member} />
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
          {texts.stale.since} <ExactTime at={last_reported_at} />
        </>
      )}
      {expected_report_interval !== null && texts.stale.expected(formatInterval(expected_report_interval))}
    </>
  )
}
