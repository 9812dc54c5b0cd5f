// Deployments, newest first, each with the artifact it replaced.
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArtifactLink, CommitLink, SnapshotLink } from '../../parts/links.tsx'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { formatDuration } from '../../ui/duration.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Pager } from '../../ui/pager.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { deploymentsQuery } from './queries.ts'
import { repoTexts as texts } from './texts-repos.ts'

type Deployment = Schemas['Deployment']

interface DeploymentTableProps {
  request: { org: string; repo_name: string; days: number; environment: string | undefined; page: number }
  onPage: (page: number) => void
}

export function DeploymentTable({ request, onPage }: DeploymentTableProps) {
  const answer = useQuery(deploymentsQuery({ ...request, per_page: PER_PAGE }))
  if (answer.isPending) return <Loading />
  if (answer.error) return <ErrorAlert error={answer.error} />
  const { deployments, page, total_pages, total_count } = answer.data
  if (total_count === 0) {
    return <Empty title={texts.release.noneRecently(request.days)}>{texts.release.noneHint}</Empty>
  }
  return (
    <Stack>
      <DataTable
        caption={texts.release.deployments}
        columns={listColumns(request.org)}
        rows={deployments}
        getKey={({ id }) => id}
        isPart={total_pages > 1}
        isWide
      />
      <Pager page={page} page_count={total_pages} total={total_count} noun="deployment" onChange={onPage} />
    </Stack>
  )
}

const listColumns = (org: string): Column<Deployment>[] => [
  {
    title: texts.release.artifact,
    sortBy: ({ artifact_name }) => artifact_name,
    render: deployment => <DeployedArtifact org={org} deployment={deployment} />,
  },
  {
    title: texts.release.environment,
    sortBy: ({ environment_name }) => environment_name,
    render: ({ environment_name, snapshot_index, is_running }) => (
      <>
        <SnapshotLink org={org} environment={environment_name} index={snapshot_index} />
        {is_running && (
          <Text size="xs" c="dimmed">
            {texts.release.running}
          </Text>
        )}
      </>
    ),
  },
  {
    title: texts.release.deployed,
    first: 'descending',
    sortBy: ({ deployed_at }) => deployed_at,
    render: ({ deployed_at }) => <RelativeTime at={deployed_at} />,
  },
  {
    title: texts.release.leadTime,
    first: 'descending',
    sortBy: ({ lead_time_seconds }) => lead_time_seconds,
    render: ({ lead_time_seconds }) => formatDuration(lead_time_seconds),
  },
  {
    title: texts.release.commit,
    render: ({ git_commit, commit_url }) => <CommitLink sha={git_commit} url={commit_url} />,
  },
  {
    title: texts.release.replaced,
    sortBy: ({ replaced }) => replaced?.artifact_name,
    render: ({ replaced }) => <Replaced replaced={replaced} />,
  },
]

function Replaced({ replaced }: Pick<Deployment, 'replaced'>) {
  if (replaced === null) return texts.release.replacedNothing
  return (
    <>
      <Text size="sm" className="fingerprint">
        {replaced.artifact_name}
      </Text>
      {replaced.diff_url && <ExternalLink href={replaced.diff_url}>{texts.release.viewChanges}</ExternalLink>}
    </>
  )
}

export function DeployedArtifact({ org, deployment }: { org: string; deployment: Deployment }) {
  const { flow_name, artifact_fingerprint, artifact_name } = deployment
  return (
    <ArtifactLink org={org} flow={flow_name} fingerprint={artifact_fingerprint}>
      {artifact_name}
    </ArtifactLink>
  )
}
