// The table of artifacts and environments.
import { Stack, Table, Text } from '@mantine/core'
import { ArtifactLink, EnvironmentLink, RepoLink } from '../../parts/links.tsx'
import { type State, StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { MatrixFrame, MatrixRow } from '../../ui/matrix-frame.tsx'
import styles from './matrix.module.css'
import type { Matrix, MatrixCell, RunningArtifact } from './queries.ts'
import type { CellState } from './search.ts'
import { runningTexts as texts } from './texts.ts'

const STATES: Record<CellState, State> = {
  compliant: 'COMPLIANT',
  'non-compliant': 'NON-COMPLIANT',
  unknown: 'UNKNOWN',
  stale: 'STALE',
}

export function MatrixTable({ org, matrix: { environments, artifacts } }: { org: string; matrix: Matrix }) {
  const columns = environments.map(({ name, state }) => ({
    key: name,
    head: (
      <>
        <EnvironmentLink org={org} environment={name} />
        <div>
          <StateBadge by="policies" state={STATES[state]} />
        </div>
      </>
    ),
  }))
  return (
    <MatrixFrame caption={texts.caption} rows={texts.artifact} columns={columns}>
      {artifacts.map(artifact => (
        <MatrixRow key={artifact.name} head={<ArtifactHead org={org} artifact={artifact} />}>
          {environments.map(({ name }) => (
            <Table.Td key={name}>
              <Running org={org} artifact={artifact} environment={name} />
            </Table.Td>
          ))}
        </MatrixRow>
      ))}
    </MatrixFrame>
  )
}

function ArtifactHead({ org, artifact }: { org: string; artifact: RunningArtifact }) {
  const { name, version_count, repos } = artifact
  return (
    <>
      <span className="long-name">{name}</span>
      <Text size="xs" fw={version_count > 1 ? 700 : 400}>
        {texts.versions(version_count)}
      </Text>
      <Stack gap={0} fz="xs">
        {repos.map(repo => (
          <RepoLink key={repo} org={org} repo={repo} />
        ))}
      </Stack>
    </>
  )
}

interface RunningProps {
  org: string
  artifact: RunningArtifact
  environment: string
}

/** The versions that run in an environment. */
function Running({ org, artifact: { running, version_count }, environment }: RunningProps) {
  const here = running.filter(({ environment_name }) => environment_name === environment)
  if (here.length === 0)
    return (
      <Text size="xs" c="dimmed">
        {texts.notRunning}
      </Text>
    )
  return (
    <Stack gap="xs">
      {here.map(cell => (
        <Version
          key={`${cell.fingerprint} ${cell.artifact_name}`}
          org={org}
          cell={cell}
          isOlder={version_count > 1 && !cell.is_newest}
        />
      ))}
    </Stack>
  )
}

interface VersionProps {
  org: string
  cell: MatrixCell
  isOlder: boolean
}

function Version({ org, cell, isOlder }: VersionProps) {
  const { version, fingerprint, flow, state, started_at } = cell
  return (
    <div className={isOlder ? styles.older : undefined} title={cell.artifact_name}>
      <ArtifactLink org={org} flow={flow} fingerprint={fingerprint}>
        {version}
      </ArtifactLink>
      {isOlder && (
        <Text size="xs" fw={600}>
          {texts.older}
        </Text>
      )}
      <div>
        <StateBadge by="policies" state={STATES[state]} />
      </div>
      {started_at !== null && (
        <Text size="xs" c="dimmed">
          {texts.started} <RelativeTime at={started_at} />
        </Text>
      )}
    </div>
  )
}
