// The table of the matrix: its first column stays in place while the environments scroll.
import { Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { ArtifactLink, EnvironmentLink, RepoLink } from '../../parts/links.tsx'
import { type State, StateBadge } from '../../parts/state-badge.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import styles from './matrix.module.css'
import type { Matrix, MatrixCell, MatrixRow } from './queries.ts'
import type { CellState } from './search.ts'
import { runningTexts as texts } from './texts.ts'

const STATES: Record<CellState, State> = {
  compliant: 'COMPLIANT',
  'non-compliant': 'NON-COMPLIANT',
  unknown: 'UNKNOWN',
  stale: 'STALE',
}

export function MatrixTable({ org, matrix: { environments, artifacts } }: { org: string; matrix: Matrix }) {
  return (
    <Table.ScrollContainer minWidth={160 + environments.length * 140}>
      <Table withTableBorder withColumnBorders>
        <VisuallyHidden component="caption">{texts.caption}</VisuallyHidden>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" className={styles.name}>
              {texts.artifact}
            </Table.Th>
            {environments.map(({ name, state }) => (
              <Table.Th key={name} scope="col" className={styles.environment}>
                <EnvironmentLink org={org} environment={name} />
                <div>
                  <StateBadge by="policies" state={STATES[state]} />
                </div>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {artifacts.map(row => (
            <Row key={row.name} org={org} row={row} environments={environments.map(({ name }) => name)} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface RowProps {
  org: string
  row: MatrixRow
  environments: readonly string[]
}

function Row({ org, row, environments }: RowProps) {
  const isMixed = row.version_count > 1
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} className={styles.name}>
        <span className="long-name">{row.name}</span>
        <Text size="xs" fw={isMixed ? 700 : 400}>
          {texts.versions(row.version_count)}
        </Text>
        <Stack gap={0} fz="xs">
          {row.repos.map(repo => (
            <RepoLink key={repo} org={org} repo={repo} />
          ))}
        </Stack>
      </Table.Th>
      {environments.map(environment => {
        const running = row.running.filter(({ environment_name }) => environment_name === environment)
        return (
          <Table.Td key={environment} className={styles.cell}>
            {running.length === 0 && (
              <Text size="xs" c="dimmed">
                {texts.notRunning}
              </Text>
            )}
            <Stack gap="xs">
              {running.map(cell => (
                <Version
                  key={`${cell.fingerprint} ${cell.artifact_name}`}
                  org={org}
                  cell={cell}
                  isOlder={isMixed && !cell.is_newest}
                />
              ))}
            </Stack>
          </Table.Td>
        )
      })}
    </Table.Tr>
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
