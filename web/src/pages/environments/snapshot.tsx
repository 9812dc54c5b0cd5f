// One snapshot: what ran, whether it was allowed to, and why not.
import { Anchor, Breadcrumbs, Card, Group, List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ComplianceBadge } from '../../parts/compliance-badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { snapshotQuery } from './queries.ts'

export function SnapshotPage() {
  const { org, environment, expression } = useParams({
    from: '/$org/environments/$environment/snapshots/$expression',
  })
  return <SnapshotView org={org} environment={environment} expression={expression} />
}

interface Place {
  org: string
  environment: string
  expression: string
}

export function SnapshotView({ org, environment, expression }: Place) {
  const snapshot = useQuery(snapshotQuery(org, environment, expression))
  return (
    <Stack>
      <Breadcrumbs>
        <Anchor renderRoot={props => <Link to="/$org/environments" params={{ org }} {...props} />}>
          Environments
        </Anchor>
        <Text>{environment}</Text>
      </Breadcrumbs>
      <Title order={1}>{environment}</Title>
      {snapshot.isPending ? (
        <Loading />
      ) : snapshot.error ? (
        <Failed error={snapshot.error} />
      ) : (
        <Content place={{ org, environment, expression }} snapshot={snapshot.data} />
      )}
    </Stack>
  )
}

type Snapshot = Awaited<ReturnType<NonNullable<ReturnType<typeof snapshotQuery>['queryFn']>>>
type Artifact = Snapshot['artifacts'][number]

function Content({ place, snapshot }: { place: Place; snapshot: Snapshot }) {
  const running = snapshot.artifacts.filter(({ annotation }) => annotation?.type !== 'exited')
  const ordered = running.toSorted((a, b) => Number(a.compliant ?? false) - Number(b.compliant ?? false))
  return (
    <>
      <Group>
        <ComplianceBadge compliant={snapshot.compliant} />
        <Text>
          Snapshot {snapshot.index}, <Moment at={snapshot.timestamp} />
        </Text>
        {snapshot.index > 1 && (
          <Anchor
            renderRoot={props => (
              <Link
                to="/$org/environments/$environment/snapshots/$expression"
                params={{ ...place, expression: String(snapshot.index - 1) }}
                {...props}
              />
            )}
          >
            The one before
          </Anchor>
        )}
      </Group>
      {ordered.length === 0 && <Empty title="Nothing runs here" />}
      {ordered.map(artifact => (
        <ArtifactCard key={`${artifact.fingerprint} ${artifact.name}`} artifact={artifact} />
      ))}
    </>
  )
}

function ArtifactCard({ artifact }: { artifact: Artifact }) {
  const reasons = artifact.reasons_for_incompliance ?? []
  return (
    <Card withBorder>
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600} className="fingerprint">
          {artifact.name}
        </Text>
        <ComplianceBadge compliant={artifact.compliant} />
      </Group>
      <Text size="sm" c="dimmed" className="fingerprint">
        {artifact.fingerprint}
      </Text>
      {reasons.length > 0 && (
        <List mt="xs" size="sm">
          {reasons.map(reason => (
            <List.Item key={reason.description}>
              {reason.description}
              <Text size="sm" fw={500}>
                {reason.remedy}
              </Text>
            </List.Item>
          ))}
        </List>
      )}
    </Card>
  )
}
