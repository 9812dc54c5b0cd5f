// Pull requests: author, approvers and merged commits.
import { Badge, Card, Group, List, Stack, Text, Title } from '@mantine/core'
import { CommitLink } from '../../../parts/links.tsx'
import type { Schemas } from '../../../parts/schemas.ts'
import { RelativeTime } from '../../../parts/time.tsx'
import { ExternalLink } from '../../../ui/external-link.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { evidenceTexts as texts } from './texts.ts'

type PullRequest = Schemas['PullRequest']

export function PullRequests({ pull_requests }: { pull_requests: PullRequest[] }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {texts.pullRequests.title}
      </Title>
      {pull_requests.length === 0 && <Text>{texts.pullRequests.none}</Text>}
      {pull_requests.map(each => (
        <PullRequestCard key={each.url} pull_request={each} />
      ))}
    </Stack>
  )
}

function PullRequestCard({ pull_request }: { pull_request: PullRequest }) {
  const { title, url, state, author, base_ref, head_ref, merged_at, merge_commit } = pull_request
  return (
    <Card withBorder>
      <Group justify="space-between" wrap="nowrap" align="start">
        <ExternalLink href={url}>{title ?? url}</ExternalLink>
        <Badge variant="default" miw="max-content">
          {state}
        </Badge>
      </Group>
      <Facts
        rows={[
          [texts.pullRequests.author, author],
          [texts.pullRequests.approvedBy, <Approvers key="approvers" pull_request={pull_request} />],
          [
            texts.pullRequests.branches,
            head_ref && base_ref ? texts.pullRequests.merge(head_ref, base_ref) : undefined,
          ],
          [texts.pullRequests.merged, merged_at && <RelativeTime key="merged" at={merged_at} />],
          [texts.pullRequests.mergeCommit, merge_commit && <CommitLink key="commit" sha={merge_commit} />],
        ]}
      />
      <Commits pull_request={pull_request} />
    </Card>
  )
}

function Approvers({ pull_request: { approvers } }: { pull_request: PullRequest }) {
  if (!approvers || approvers.length === 0) return <Text fw={700}>{texts.pullRequests.nobody}</Text>
  return approvers.map((approver, position) => {
    const { username, timestamp } =
      typeof approver === 'string' ? { username: approver, timestamp: undefined } : approver
    return (
      <Text key={username} span size="sm">
        {position > 0 && ', '}
        {username}
        {timestamp !== undefined && (
          <>
            {' '}
            (<RelativeTime at={timestamp} />)
          </>
        )}
      </Text>
    )
  })
}

function Commits({ pull_request: { commits = [] } }: { pull_request: PullRequest }) {
  if (commits.length === 0) return null
  return (
    <>
      <Title order={4} size="h6" mt="xs">
        {texts.pullRequests.commits}
      </Title>
      <List size="sm">
        {commits.map(({ sha1, url, message, author_username, author, verified }) => (
          <List.Item key={sha1}>
            <CommitLink sha={sha1} url={url} /> {message} ({author_username ?? author}
            {verified && texts.pullRequests.verified})
          </List.Item>
        ))}
      </List>
    </>
  )
}
