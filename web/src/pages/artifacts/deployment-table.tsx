// Deployments, newest first, each with what it replaced.
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArtifactLink, CommitLink, SnapshotLink } from '../../parts/links.tsx'
import { PER_PAGE, type Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { formatDuration } from '../../ui/duration.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { deploymentsQuery } from './queries.ts'

interface DeploymentTableProps {
  asked: { org: string; repo_name: string; days: number; environment: string | undefined; page: number }
  onPage: (page: number) => void
}

export function DeploymentTable({ asked, onPage }: DeploymentTableProps) {
  const answer = useQuery(deploymentsQuery({ ...asked, per_page: PER_PAGE }))
  if (answer.isPending) return <Loading />
  if (answer.error) return <ErrorAlert error={answer.error} />
  const { deployments, page, total_pages, total_count } = answer.data
  if (total_count === 0) {
    return (
      <Empty title={`No deployments in the last ${asked.days} days`}>
        A deployment is seen when an environment reports that an artifact of this repository has started.
      </Empty>
    )
  }
  return (
    <Stack>
      <Table.ScrollContainer minWidth={820}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Artifact</Table.Th>
              <Table.Th>Environment</Table.Th>
              <Table.Th>Deployed</Table.Th>
              <Table.Th>Lead time</Table.Th>
              <Table.Th>Commit</Table.Th>
              <Table.Th>Replaced</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {deployments.map(each => (
              <DeploymentRow key={each.id} org={asked.org} deployment={each} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager page={page} page_count={total_pages} total={total_count} noun="deployment" onChange={onPage} />
    </Stack>
  )
}

interface DeploymentProps {
  org: string
  deployment: Schemas['Deployment']
}

function DeploymentRow({ org, deployment }: DeploymentProps) {
  const { replaced } = deployment
  return (
    <Table.Tr>
      <Table.Td>
        <DeployedArtifact org={org} deployment={deployment} />
      </Table.Td>
      <Table.Td>
        <SnapshotLink org={org} environment={deployment.environment_name} index={deployment.snapshot_index} />
        {deployment.is_running && (
          <Text size="xs" c="dimmed">
            runs now
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={deployment.deployed_at} />
      </Table.Td>
      <Table.Td>{formatDuration(deployment.lead_time_seconds)}</Table.Td>
      <Table.Td>
        <CommitLink sha={deployment.git_commit} url={deployment.commit_url} />
      </Table.Td>
      <Table.Td>
        {replaced === null ? (
          'nothing'
        ) : (
          <>
            <Text size="sm" className="fingerprint">
              {replaced.artifact_name}
            </Text>
            {replaced.diff_url && <ExternalLink href={replaced.diff_url}>View the difference</ExternalLink>}
          </>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

export function DeployedArtifact({ org, deployment }: DeploymentProps) {
  const { flow_name, artifact_fingerprint, artifact_name } = deployment
  return (
    <ArtifactLink org={org} flow={flow_name} fingerprint={artifact_fingerprint}>
      {artifact_name}
    </ArtifactLink>
  )
}
