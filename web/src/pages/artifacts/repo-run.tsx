// The running artifacts of a repository, by environment.
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CommitLink, SnapshotLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { DeployedArtifact } from './deployment-table.tsx'
import { runningQuery } from './queries.ts'
import { repoTexts as texts } from './texts-repos.ts'

export function RepoRun({ org, name }: { org: string; name: string }) {
  const answer = useQuery(runningQuery(org, name))
  if (answer.isPending) return <Loading />
  if (answer.error) return <ErrorAlert error={answer.error} />
  const { running, checked_count, total_count } = answer.data
  const ordered = running.toSorted((a, b) => a.environment_name.localeCompare(b.environment_name))
  return (
    <Stack>
      {running.length === 0 ? (
        <Empty title={texts.run.none}>{texts.run.noneHint}</Empty>
      ) : (
        <Table.ScrollContainer minWidth={560}>
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.run.environment}</Table.Th>
                <Table.Th>{texts.run.artifact}</Table.Th>
                <Table.Th>{texts.run.commit}</Table.Th>
                <Table.Th>{texts.run.since}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {ordered.map(each => (
                <Table.Tr key={each.id}>
                  <Table.Td>
                    <SnapshotLink org={org} environment={each.environment_name} index={each.snapshot_index} />
                  </Table.Td>
                  <Table.Td>
                    <DeployedArtifact org={org} deployment={each} />
                  </Table.Td>
                  <Table.Td>
                    <CommitLink sha={each.git_commit} url={each.commit_url} />
                  </Table.Td>
                  <Table.Td>
                    <RelativeTime at={each.deployed_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {checked_count < total_count && (
        <Text size="sm" c="dimmed">
          {texts.run.basedOn(checked_count, total_count)}
        </Text>
      )}
    </Stack>
  )
}
