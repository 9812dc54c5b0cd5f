// The facts about an artifact: its origin, where it runs, and where it ran before.
import { Card, List, Stack, Text, Title } from '@mantine/core'
import { CommitLink, RepoLink, SnapshotLink, TrailLink } from '../../parts/links.tsx'
import { LogMark } from '../../parts/log-mark.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { partsTexts as parts } from '../../parts/texts.ts'
import { RecordedTime } from '../../parts/time.tsx'
import { Details } from '../../ui/details.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { OtherTrails } from './other-trails.tsx'
import { artifactTexts as texts } from './texts.ts'

interface ArtifactProps {
  org: string
  artifact: Schemas['Artifact']
}

export function ArtifactFacts({ org, artifact }: ArtifactProps) {
  return (
    <Stack>
      <Card withBorder>
        <Title order={2} size="h4" mb="xs">
          {texts.facts.origin}
        </Title>
        <Origin org={org} artifact={artifact} />
      </Card>
      <Places
        org={org}
        title={texts.facts.runningIn}
        places={artifact.running}
        none={texts.facts.notRunning}
      />
      <Places
        org={org}
        title={texts.facts.previouslyIn}
        places={artifact.exited}
        none={artifact.running.length > 0 ? texts.facts.stillRunning : texts.facts.neverDeployed}
      />
      <Reports artifact={artifact} />
      <OtherTrails org={org} artifact={artifact} />
      {Object.keys(artifact.user_data ?? {}).length > 0 && (
        <Details title={texts.facts.userData}>
          <RawJson value={artifact.user_data} />
        </Details>
      )}
    </Stack>
  )
}

const NO_TIMES = { collected_at: null, spooled: false }

function Origin({ org, artifact }: ArtifactProps) {
  const { flow_name, trail_name, git_commit_info: commit, repo_info } = artifact
  const report = artifact.reports[0]?.id
  // The times come from one report, and `created_at` from the first.
  const first =
    artifact.reports.length === artifact.reports_count ? (artifact.reports.at(-1) ?? artifact) : NO_TIMES
  return (
    <Facts
      rows={[
        [texts.facts.commit, <CommitLink key="commit" sha={artifact.git_commit} url={artifact.commit_url} />],
        [texts.facts.message, commit?.message],
        [texts.facts.author, commit?.author],
        [texts.facts.branch, commit?.branch],
        [texts.facts.build, artifact.build_url && <ExternalLink key="build" href={artifact.build_url} />],
        [texts.facts.repository, repo_info && <RepoLink key="repo" org={org} repo={repo_info.name} />],
        [
          texts.facts.trail,
          trail_name !== null && <TrailLink key="trail" org={org} flow={flow_name} trail={trail_name} />,
        ],
        [texts.facts.fingerprintMethod, artifact.fingerprint_method],
        [texts.facts.reportedBy, artifact.created_by],
        [texts.facts.reported, <RecordedTime key="at" at={artifact.created_at} of={first} />],
        [parts.log.title, report && <LogMark key="log" org={org} of={{ report }} />],
        ...Object.entries(artifact.external_urls).map(
          ([label, { href }]) => [label, <ExternalLink key={label} href={href} />] as const,
        ),
        ...Object.entries(artifact.annotations),
      ]}
    />
  )
}

/** Every report of the artifact. With only one, the page shows it already. */
function Reports({ artifact }: { artifact: Schemas['Artifact'] }) {
  if (artifact.reports.length < 2) return null
  return (
    <Details title={texts.facts.reports(artifact.reports.length)}>
      <Stack>
        {artifact.reports.map(report => (
          <Facts
            key={report.id}
            rows={[
              [texts.facts.reported, <RecordedTime key="at" at={report.reported_at} of={report} />],
              [texts.facts.reportedBy, report.reported_by],
              [texts.facts.fingerprintMethod, report.fingerprint_method],
              [texts.facts.name, report.filename],
              [
                texts.facts.commit,
                <CommitLink key="commit" sha={report.git_commit} url={report.commit_url} />,
              ],
              [texts.facts.build, <ExternalLink key="build" href={report.build_url} />],
              [
                texts.facts.reportedCompliant,
                report.is_compliant === null ? undefined : String(report.is_compliant),
              ],
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
