// What was reported about an artifact, where it runs now, and where it ran before.
import { Card, List, Stack, Text, Title } from '@mantine/core'
import { CommitLink, RepoLink, SnapshotLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Details } from '../../ui/details.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { OtherTrails } from './other-trails.tsx'

interface ArtifactProps {
  org: string
  artifact: Schemas['Artifact']
}

export function ArtifactFacts({ org, artifact }: ArtifactProps) {
  return (
    <Stack>
      <Card withBorder>
        <Title order={2} size="h4" mb="xs">
          Origin
        </Title>
        <Origin org={org} artifact={artifact} />
      </Card>
      <Places org={org} title="Runs now in" places={artifact.running} none="It runs nowhere now." />
      <Places org={org} title="Ran before in" places={artifact.exited} none="It has not exited anywhere." />
      <Reports artifact={artifact} />
      <OtherTrails org={org} artifact={artifact} />
      {Object.keys(artifact.user_data ?? {}).length > 0 && (
        <Details title="User data">
          <RawJson value={artifact.user_data} />
        </Details>
      )}
    </Stack>
  )
}

function Origin({ org, artifact }: ArtifactProps) {
  const { flow_name, trail_name, git_commit_info: commit, repo_info } = artifact
  return (
    <Facts
      rows={[
        ['Commit', <CommitLink key="commit" sha={artifact.git_commit} url={artifact.commit_url} />],
        ['Message', commit?.message],
        ['Author', commit?.author],
        ['Branch', commit?.branch],
        ['Build', artifact.build_url && <ExternalLink key="build" href={artifact.build_url} />],
        ['Repository', repo_info && <RepoLink key="repo" org={org} repo={repo_info.name} />],
        [
          'Trail',
          trail_name !== null && <TrailLink key="trail" org={org} flow={flow_name} trail={trail_name} />,
        ],
        ['Reported by', artifact.created_by],
        ['Reported', <RelativeTime key="at" at={artifact.created_at} />],
        ...Object.entries(artifact.external_urls).map(
          ([label, { href }]) => [label, <ExternalLink key={label} href={href} />] as const,
        ),
        ...Object.entries(artifact.annotations),
      ]}
    />
  )
}

/** What was said of it each time; with one report, the page itself says it. */
function Reports({ artifact }: { artifact: Schemas['Artifact'] }) {
  if (artifact.reports.length < 2) return null
  return (
    <Details title={`Reported ${artifact.reports.length} times`}>
      <Stack>
        {artifact.reports.map(report => (
          <Facts
            key={report.id}
            rows={[
              ['Reported', <RelativeTime key="at" at={report.reported_at} />],
              ['Reported by', report.reported_by],
              ['Name', report.filename],
              ['Commit', <CommitLink key="commit" sha={report.git_commit} url={report.commit_url} />],
              ['Build', <ExternalLink key="build" href={report.build_url} />],
              ['Called compliant', report.is_compliant === null ? undefined : String(report.is_compliant)],
              ...Object.entries(report.annotations),
            ]}
          />
        ))}
      </Stack>
    </Details>
  )
}

interface PlacesProps {
  org: string
  title: string
  places: Schemas['ArtifactPlace'][]
  none: string
}

function Places({ org, title, places, none }: PlacesProps) {
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      {places.length === 0 && <Text c="dimmed">{none}</Text>}
      <List>
        {places.map(({ environment_name, snapshot_index }) => (
          <List.Item key={`${environment_name} ${snapshot_index}`}>
            <SnapshotLink org={org} environment={environment_name} index={snapshot_index} />
          </List.Item>
        ))}
      </List>
    </Card>
  )
}
