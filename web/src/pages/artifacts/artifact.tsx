// The page of an artifact: its origin, its attestations and where it runs.
import { Button, Card, Grid, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { ArchivedNotice } from '../../parts/archived.tsx'
import { buildApiPath } from '../../parts/curl.ts'
import { FlowLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Copy } from '../../ui/command.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { trailQuery } from '../flows/queries.ts'
import { SlotTable } from '../flows/slot-table.tsx'
import { ArtifactFacts } from './artifact-facts.tsx'
import { ArtifactHistory } from './artifact-history.tsx'
import { listSlots } from './artifact-slots.ts'
import { buildLanes } from './lanes.tsx'
import { Lineage } from './lineage.tsx'
import { artifactQuery } from './queries.ts'
import { artifactTexts as texts } from './texts.ts'

const FROM = '/$org/flows/$flow/artifacts/$fingerprint'

export function ArtifactPage() {
  const { org, flow, fingerprint } = useParams({ from: FROM })
  const { artifact_id } = useSearch({ from: FROM })
  const artifact = useQuery(artifactQuery({ org, flow_name: flow, fingerprint }, artifact_id))
  return (
    <Stack>
      <Crumbs here={artifact.data?.filename ?? fingerprint}>
        <PageLink to="/$org/flows" params={{ org }}>
          {texts.artifact.flows}
        </PageLink>
        <FlowLink org={org} flow={flow} />
      </Crumbs>
      <Title order={1} size="h2" className="fingerprint">
        {artifact.data?.filename ?? fingerprint}
      </Title>
      {artifact.isPending ? (
        <Loading />
      ) : artifact.error ? (
        <ErrorAlert error={artifact.error} />
      ) : (
        <Content org={org} artifact={artifact.data} />
      )}
    </Stack>
  )
}

interface ArtifactProps {
  org: string
  artifact: Schemas['Artifact']
}

function Content({ org, artifact }: ArtifactProps) {
  const { flow_name, trail_name } = artifact
  const trail = useQuery({
    ...trailQuery(org, flow_name, trail_name ?? ''),
    enabled: trail_name !== null,
  })
  // All at once: otherwise later parts would push down earlier ones.
  if (trail.isLoading) return <Loading rows={8} />
  const slots = trail.data ? listSlots(trail.data, artifact) : []
  return (
    <>
      {artifact.archived && <ArchivedNotice org={org} kind="flow" name={flow_name} />}
      <Heading org={org} artifact={artifact} />
      {trail.error && <ErrorAlert error={trail.error} />}
      <Lineage lanes={buildLanes({ org, artifact, trail: trail.data, slots })} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack>
            <Card withBorder>
              <Title order={2} size="h4" mb="xs">
                {texts.artifact.attestations}
              </Title>
              {trail.data ? (
                <SlotTable
                  org={org}
                  trail={trail.data}
                  label={texts.artifact.attestationsOf(artifact.filename)}
                  slots={slots}
                  target={{ artifact: artifact.template_reference_name, fingerprint: artifact.fingerprint }}
                />
              ) : (
                <Text c="dimmed">
                  {trail_name === null ? texts.artifact.noTrail : texts.artifact.notLoaded}
                </Text>
              )}
            </Card>
            <ArtifactHistory artifact={artifact} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <ArtifactFacts org={org} artifact={artifact} />
        </Grid.Col>
      </Grid>
    </>
  )
}

function Heading({ org, artifact }: ArtifactProps) {
  const { fingerprint, flow_name } = artifact
  return (
    <>
      <Group justify="space-between">
        <Group gap="xs">
          <StateBadge by="template" state={artifact.state} />
          <Text size="sm" className="fingerprint">
            {fingerprint}
          </Text>
          <Copy value={fingerprint} what={texts.artifact.fingerprint} />
        </Group>
        <Button
          component="a"
          variant="default"
          href={`${buildApiPath('artifacts', org, flow_name, 'fingerprint', fingerprint, 'audit_package')}?archived=true`}
          download
        >
          {texts.artifact.download}
        </Button>
      </Group>
      {artifact.description !== '' && <Text>{artifact.description}</Text>}
    </>
  )
}
