// The overview of an organization: the state of its environments, recent changes, and what needs attention.
import { SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { loadLater } from '../../live/load-later.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { ChangesOfLastDay } from './changes.tsx'
import { EnvironmentCards } from './environment-cards.tsx'
import { ExpiringDecisions } from './expiring-decisions.tsx'
import { shownEnvironmentsQuery } from './queries.ts'
import { DecisionsToConfirm, ExpiringKeys, FailingNotifications, UnboundEvidence } from './warnings.tsx'

/** Only new organizations need the guide. */
const GettingStarted = lazy(() =>
  loadLater(() => import('./getting-started/getting-started.tsx')).then(({ GettingStarted: component }) => ({
    default: component,
  })),
)

export function OverviewPage() {
  const { org } = useParams({ from: '/$org' })
  const environments = useQuery(shownEnvironmentsQuery(org))
  // Once shown, the guide stays until the reader closes it: it ends with the reason for the first compliant
  // verdict.
  const [guided, setGuided] = useState<string>()
  const [isFinished, setIsFinished] = useState(false)
  const isNew = environments.data !== undefined && isNewOrganization(environments.data)
  if (isNew && guided !== org) {
    setGuided(org)
    setIsFinished(false)
  }
  const isGuided = guided === org && !isFinished
  return (
    <Stack gap="xl">
      <Title order={1} className="long-name">
        {org}
      </Title>
      {environments.isPending ? (
        <Loading />
      ) : environments.error ? (
        <ErrorAlert error={environments.error} />
      ) : (
        <>
          {isGuided && (
            <Suspense fallback={<Loading />}>
              <GettingStarted org={org} onFinish={() => setIsFinished(true)} />
            </Suspense>
          )}
          {environments.data.total_count + environments.data.archived_count > 0 && (
            <State org={org} found={environments.data} />
          )}
        </>
      )}
    </Stack>
  )
}

type StateProps = Parameters<typeof EnvironmentCards>[0]

function State({ org, found }: StateProps) {
  return (
    <>
      <EnvironmentCards org={org} found={found} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <ChangesOfLastDay org={org} />
        <Stack gap="xl">
          <DecisionsToConfirm org={org} />
          <ExpiringDecisions org={org} />
          <UnboundEvidence org={org} />
          <FailingNotifications org={org} />
          <ExpiringKeys org={org} />
        </Stack>
      </SimpleGrid>
    </>
  )
}

/** This many environments without a policy are a choice, not a beginning. */
const MAX_FIRST_ENVIRONMENTS = 2

interface Found {
  total_count: number
  archived_count: number
  environments: readonly { policies: readonly string[] }[]
}

/** No policy applies yet, so nothing can be compliant for a reason. */
function isNewOrganization({ total_count, archived_count, environments }: Found): boolean {
  if (archived_count > 0 || total_count > MAX_FIRST_ENVIRONMENTS) return false
  return environments.every(({ policies }) => policies.length === 0)
}
