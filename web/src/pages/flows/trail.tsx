// The page of a trail: its state, its evidence and its timeline.
import { Button, Card, Grid, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ArchivedNotice } from '../../parts/archived.tsx'
import { buildApiPath } from '../../parts/curl.ts'
import { CommitLink, FlowLink, RepoLink } from '../../parts/links.tsx'
import { LogMark } from '../../parts/log-mark.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { partsTexts as parts } from '../../parts/texts.ts'
import { RecordedTime, RelativeTime } from '../../parts/time.tsx'
import { useCurrentName } from '../../parts/use-current-name.ts'
import { useRole } from '../../parts/use-role.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { Details } from '../../ui/details.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { AttestationDrawer } from './attestation-drawer.tsx'
import { trailQuery } from './queries.ts'
import { TemplateText } from './template-text.tsx'
import { trailTexts as texts } from './texts-trail.ts'
import { TrailStatus } from './trail-status.tsx'
import { TrailTimeline } from './trail-timeline.tsx'

export function TrailPage() {
  const { org, flow, trail: name } = useParams({ from: '/$org/flows/$flow/trails/$trail' })
  const trail = useQuery(trailQuery(org, flow, name))
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/flows" params={{ org }}>
          {texts.trail.flows}
        </PageLink>
        <FlowLink org={org} flow={flow} />
      </Crumbs>
      <Title order={1} className="fingerprint">
        {name}
      </Title>
      {trail.isPending ? (
        <Loading />
      ) : trail.error ? (
        <ErrorAlert error={trail.error} />
      ) : (
        <Content org={org} trail={trail.data} />
      )}
      <AttestationDrawer org={org} />
    </Stack>
  )
}

interface TrailProps {
  org: string
  trail: Schemas['Trail']
}

function Content({ org, trail }: TrailProps) {
  useCurrentName('flow', trail.flow_name)
  return (
    <>
      {trail.archived && <ArchivedNotice org={org} kind="flow" name={trail.flow_name} />}
      <Group justify="space-between">
        <Group>
          <StateBadge by="template" state={trail.compliance_state} />
          <Text size="sm" c="dimmed">
            {texts.trail.evaluated} <RelativeTime at={trail.compliance_status.evaluated_at} />
          </Text>
        </Group>
        <Group gap="xs">
          <TrailActions org={org} trail={trail} />
          <Button
            component="a"
            variant="default"
            href={`${buildApiPath('trails', org, trail.flow_name, trail.name, 'audit_package')}?archived=true`}
            download
          >
            {texts.trail.download}
          </Button>
        </Group>
      </Group>
      {trail.description !== '' && <Text>{trail.description}</Text>}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <TrailStatus org={org} trail={trail} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack>
            <TrailFacts org={org} trail={trail} />
            <TrailTimeline org={org} trail={trail} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Details title={texts.trail.template}>
        <TemplateText text={trail.template.content} />
      </Details>
    </>
  )
}

function TrailActions({ org, trail }: TrailProps) {
  const { isMember } = useRole(org)
  if (!isMember || trail.archived) return null
  const params = { org, flow: trail.flow_name, trail: trail.name }
  return (
    <>
      <ButtonLink to="/$org/flows/$flow/trails/$trail/attest" params={params}>
        {texts.trail.attest}
      </ButtonLink>
      <ButtonLink variant="default" to="/$org/flows/$flow/trails/$trail/approve" params={params}>
        {texts.trail.approve}
      </ButtonLink>
    </>
  )
}

function TrailFacts({ org, trail }: TrailProps) {
  const commit = trail.git_commit_info
  return (
    <Card withBorder>
      <Facts
        rows={[
          [texts.trail.commit, <CommitLink key="commit" sha={commit?.sha1} url={commit?.url} />],
          [texts.trail.message, commit?.message],
          [texts.trail.author, commit?.author],
          [texts.trail.branch, commit?.branch],
          [
            texts.trail.repository,
            trail.repo_info && <RepoLink key="repo" org={org} repo={trail.repo_info.name} />,
          ],
          [texts.trail.origin, trail.origin_url && <ExternalLink key="origin" href={trail.origin_url} />],
          ...Object.entries(trail.external_urls).map(
            ([label, { href }]) => [label, <ExternalLink key={label} href={href} />] as const,
          ),
          [texts.trail.startedBy, trail.created_by],
          [texts.trail.started, <RecordedTime key="started" at={trail.created_at} of={trail} />],
          [
            parts.log.title,
            <LogMark key="log" org={org} of={{ flow: trail.flow_name, trail: trail.name }} />,
          ],
        ]}
      />
    </Card>
  )
}
