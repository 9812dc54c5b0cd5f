// The state and size of the log, and its latest publication.
import { Card, Group, Title } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Copy } from '../../ui/command.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatCount } from '../../ui/format-count.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { StateBadge } from './state-badge.tsx'
import { proofTexts as texts } from './texts.ts'

interface LogProps {
  org: string
  status: Schemas['LogStatus']
}

const LOOKS = {
  ok: { word: texts.log.ok, colour: 'green', variant: 'light', Icon: IconCheck },
  frozen: { word: texts.log.frozen, colour: 'red.9', variant: 'filled', Icon: IconX },
  unanchored: { word: texts.log.unanchored, colour: 'orange', variant: 'outline', Icon: IconAlertTriangle },
} as const

export function LogCard({ org, status }: LogProps) {
  const { origin, size, checkpoint } = status
  const { isAdmin } = useRole(org)
  return (
    <Card withBorder component="section" aria-label={texts.log.title}>
      <Title order={2} size="h4" mb="xs">
        {texts.log.title}
      </Title>
      <Facts
        rows={[
          [texts.log.state, <StateOfLog key="state" state={status.state} />],
          [texts.log.size, formatCount(size, 'record')],
          [
            texts.log.checkpoint,
            checkpoint ? (
              <>
                {texts.log.checkpointBefore(formatCount(checkpoint.size, 'record'))}{' '}
                <RelativeTime at={checkpoint.at} />
              </>
            ) : (
              texts.log.noCheckpoint
            ),
          ],
          [
            texts.log.name,
            origin && (
              <Group key="name" gap="xs">
                <span className="fingerprint">{origin}</span>
                <Copy value={origin} what={texts.log.copyName} />
              </Group>
            ),
          ],
          [
            texts.log.readers,
            <>
              {status.public ? texts.log.everyone : texts.log.members}{' '}
              {isAdmin && (
                <PageLink to="/$org/settings/organization" params={{ org }}>
                  {texts.log.change}
                </PageLink>
              )}
            </>,
          ],
        ]}
      />
    </Card>
  )
}

function StateOfLog({ state }: { state: Schemas['LogStatus']['state'] }) {
  if (state === 'empty') return null
  return <StateBadge look={LOOKS[state]} />
}
