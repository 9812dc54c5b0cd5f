// The decisions that wait for a second person: overrides and allow-list entries that have no effect yet.
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
import { decisionTexts as texts } from './texts.ts'

type Settings = NonNullable<Schemas['Organization']['settings']>

export function WaitingDecisionsPage() {
  const { org } = useParams({ from: '/$org/waiting-decisions' })
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
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
  if (decisions.data.length === 0) return <NoDecisions org={org} settings={settings} />
  return (
    <>
      <Text>{texts.intro}</Text>
      {decisions.data.map(decision => (
        <DecisionCard key={decision.id} org={org} decision={decision} settings={settings} />
      ))}
    </>
  )
}

function NoDecisions({ org, settings }: { org: string; settings: Settings | undefined }) {
  const { isAdmin } = useRole(org)
  const kinds = (settings?.two_person_decisions ?? []).map(kind => texts.empty.kinds[kind])
  if (kinds.length > 0) {
    return <Empty title={texts.empty.none}>{texts.empty.noneHint(org, formatList(kinds))}</Empty>
  }
  if (settings?.separate_policy_authors) {
    return <Empty title={texts.empty.none}>{texts.empty.authorsHint(org)}</Empty>
  }
  return (
    <Empty title={texts.empty.notRequired}>
      {texts.empty.notRequiredHint}{' '}
      {isAdmin ? (
        <PageLink to="/$org/settings/organization" params={{ org }}>
          {texts.empty.settings}
        </PageLink>
      ) : (
        texts.empty.settings
      )}
      {texts.empty.thenListed}
    </Empty>
  )
}
