// What waits for a second person: overrides and allow-list entries that do not count yet.
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { organizationQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { useRole } from '../../parts/use-role.ts'
import { waitingDecisionsQuery } from '../../parts/waiting-decisions.tsx'
import { formatList } from '../../ui/format-list.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { DecisionCard } from './decision-card.tsx'

type Settings = NonNullable<Schemas['Organization']['settings']>

export function WaitingDecisionsPage() {
  const { org } = useParams({ from: '/$org/waiting-decisions' })
  return (
    <Stack>
      <Title order={1}>Waiting decisions</Title>
      <Decisions org={org} />
    </Stack>
  )
}

function Decisions({ org }: { org: string }) {
  const decisions = useQuery(waitingDecisionsQuery(org))
  const organization = useQuery(organizationQuery(org))
  if (decisions.isPending || organization.isPending) return <Loading rows={2} />
  if (decisions.error) return <ErrorAlert error={decisions.error} />
  if (organization.error) return <ErrorAlert error={organization.error} />
  const { settings } = organization.data
  if (decisions.data.length === 0) return <NothingWaits org={org} settings={settings} />
  return (
    <>
      <Text>
        None of these counts yet. Each counts as soon as a second person confirms it, and is dropped when
        nobody does within seven days.
      </Text>
      {decisions.data.map(decision => (
        <DecisionCard key={decision.id} org={org} decision={decision} settings={settings} />
      ))}
    </>
  )
}

const KINDS = { override: 'overrides of attestations', allow: 'allow-list entries' } as const

function NothingWaits({ org, settings }: { org: string; settings: Settings | undefined }) {
  const { isAdmin } = useRole(org)
  const kinds = (settings?.two_person_decisions ?? []).map(kind => KINDS[kind])
  if (kinds.length > 0) {
    return (
      <Empty title="No decisions are waiting">
        {org} requires two persons for {formatList(kinds)}. After the first person asks, the decision is
        listed here until another one confirms or rejects it.
      </Empty>
    )
  }
  return (
    <Empty title="This organization does not require two persons">
      Overrides of attestations and allow-list entries count at once. Admins can require that a second person
      confirms them, under{' '}
      {isAdmin ? (
        <PageLink to="/$org/settings/organization" params={{ org }}>
          Settings, Organization
        </PageLink>
      ) : (
        'Settings, Organization'
      )}
      . What waits for that person is then listed here.
    </Empty>
  )
}
