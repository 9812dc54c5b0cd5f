// The running artifacts of a repository, by environment.
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CommitLink, SnapshotLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
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
        <DataTable
          caption={texts.run.caption}
          columns={listColumns(org)}
          rows={ordered}
          getKey={({ id }) => id}
        />
      )}
      {checked_count < total_count && (
        <Text size="sm" c="dimmed">
          {texts.run.basedOn(checked_count, total_count)}
        </Text>
      )}
    </Stack>
  )
}

const listColumns = (org: string): Column<Schemas['Deployment']>[] => [
  {
    title: texts.run.environment,
    sortBy: ({ environment_name }) => environment_name,
    render: ({ environment_name, snapshot_index }) => (
      <SnapshotLink org={org} environment={environment_name} index={snapshot_index} />
    ),
  },
  {
    title: texts.run.artifact,
    sortBy: ({ artifact_name }) => artifact_name,
    render: deployment => <DeployedArtifact org={org} deployment={deployment} />,
  },
  {
    title: texts.run.commit,
    render: ({ git_commit, commit_url }) => <CommitLink sha={git_commit} url={commit_url} />,
  },
  {
    title: texts.run.since,
    first: 'descending',
    sortBy: ({ deployed_at }) => deployed_at,
    render: ({ deployed_at }) => <RelativeTime at={deployed_at} />,
  },
]
