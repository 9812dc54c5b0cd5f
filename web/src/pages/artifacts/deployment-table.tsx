// Deployments, newest first, each with the artifact it replaced.
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
import { repoTexts as texts } from './texts-repos.ts'

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
      <Table.ScrollContainer minWidth={820}>
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.release.artifact}</Table.Th>
              <Table.Th>{texts.release.environment}</Table.Th>
              <Table.Th>{texts.release.deployed}</Table.Th>
              <Table.Th>{texts.release.leadTime}</Table.Th>
              <Table.Th>{texts.release.commit}</Table.Th>
              <Table.Th>{texts.release.replaced}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {deployments.map(each => (
              <DeploymentRow key={each.id} org={request.org} deployment={each} />
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
            {texts.release.running}
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
          texts.release.replacedNothing
        ) : (
          <>
            <Text size="sm" className="fingerprint">
              {replaced.artifact_name}
            </Text>
            {replaced.diff_url && (
              <ExternalLink href={replaced.diff_url}>{texts.release.viewChanges}</ExternalLink>
            )}
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
