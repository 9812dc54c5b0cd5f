// The organizations of the signed-in person, with the states of their environments.
import { Badge, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Session, sessionQuery } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { type State, StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useAskAgain } from '../../parts/use-ask-again.ts'
import { formatRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { orgStatesQuery } from './queries.ts'
import { homeTexts as texts } from './texts.ts'

type OrgWithState = Schemas['OrganizationWithState']
type Counts = NonNullable<OrgWithState['environments']>

/** The height of the states, reserved so that the layout does not shift. */
const STATE_HEIGHT = 48

/** The worst first. */
const STATES: readonly [keyof Counts, State][] = [
  ['non_compliant', 'NON-COMPLIANT'],
  ['stale', 'STALE'],
  ['unknown', 'UNKNOWN'],
  ['compliant', 'COMPLIANT'],
]

export function HomePage() {
  const { data: session } = useQuery(sessionQuery)
  const states = useQuery(orgStatesQuery)
  useAskAgain(orgStatesQuery.queryKey, true)
  const orgs = session?.orgs ?? []
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
      {orgs.length === 0 && <Empty title={texts.none}>{texts.noneHint}</Empty>}
      {states.error && <ErrorAlert error={states.error} />}
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        {orgs.map(org => (
          <OrgCard
            key={org.name}
            org={org}
            isPersonal={org.name === session?.user}
            isLoading={states.isPending}
            state={states.data?.find(({ name }) => name === org.name)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

interface OrgCardProps {
  org: Session['orgs'][number]
  isPersonal: boolean
  isLoading: boolean
  state: OrgWithState | undefined
}

function OrgCard({ org: { name, role, needs_sso }, isPersonal, isLoading, state }: OrgCardProps) {
  return (
    <Card withBorder padding="sm" component="article" aria-label={name}>
      <Stack gap="xs">
        <Group justify="space-between" align="start" wrap="nowrap">
          <Title order={2} size="h4" className="long-name">
            <PageLink to="/$org" params={{ org: name }}>
              {name}
            </PageLink>
          </Title>
          <Badge variant="default" miw="max-content">
            {isPersonal ? texts.personal : formatRole(role)}
          </Badge>
        </Group>
        {isLoading ? (
          <Loading rows={1} height={STATE_HEIGHT} />
        ) : state?.environments ? (
          <Environments counts={state.environments} last_activity_at={state.last_activity_at} />
        ) : (
          <Text size="sm">{needs_sso ? texts.needsSso : texts.refused}</Text>
        )}
      </Stack>
    </Card>
  )
}

function Environments({ counts, last_activity_at }: { counts: Counts; last_activity_at: number | null }) {
  const shown = STATES.filter(([key]) => counts[key] > 0)
  return (
    <>
      {shown.length === 0 ? (
        <Text size="sm">{texts.noEnvironments}</Text>
      ) : (
        <div>
          <Text size="xs" c="dimmed">
            {texts.byPolicies}
          </Text>
          <Group gap={4}>
            {shown.map(([key, state]) => (
              <StateBadge key={key} by="policies" state={state} count={counts[key]} />
            ))}
          </Group>
        </div>
      )}
      <Text size="xs" c="dimmed">
        {last_activity_at === null ? (
          texts.noActivity
        ) : (
          <>
            {texts.lastActivity} <RelativeTime at={last_activity_at} />
          </>
        )}
      </Text>
    </>
  )
}
