// One policy: what it asks for now, where it is attached, its versions, and what happened to it.
import { Anchor, Badge, Breadcrumbs, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { queries } from '../../api.ts'
import { Moment } from '../../parts/moment.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Attachments } from './attachments.tsx'
import { History } from './history.tsx'
import { archivePolicy, type Policy, policyQuery } from './queries.ts'
import { Versions } from './versions.tsx'

export function PolicyPage() {
  const { org, policy: name } = useParams({ from: '/$org/policies/$policy' })
  const policy = useQuery(policyQuery(org, name))
  return (
    <Stack>
      <Breadcrumbs>
        <Anchor renderRoot={props => <Link to="/$org/policies" params={{ org }} {...props} />}>
          Policies
        </Anchor>
        <Text>{name}</Text>
      </Breadcrumbs>
      {policy.isPending ? (
        <Loading />
      ) : policy.error ? (
        <Failed error={policy.error} />
      ) : (
        <Content org={org} policy={policy.data} />
      )}
    </Stack>
  )
}

function Content({ org, policy }: { org: string; policy: Policy }) {
  const { isAdmin, isMember } = useRole(org)
  return (
    <Stack gap="xl">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group>
            <Title order={1} className="fingerprint">
              {policy.name}
            </Title>
            {policy.archived && <Badge color="gray">ARCHIVED</Badge>}
          </Group>
          <Group>
            {isMember && (
              <Button
                renderRoot={props => (
                  <Link to="/$org/policies/$policy/edit" params={{ org, policy: policy.name }} {...props} />
                )}
              >
                {policy.archived ? 'Edit and bring back' : 'Edit and try'}
              </Button>
            )}
            {isAdmin && !policy.archived && <Archive org={org} policy={policy} />}
          </Group>
        </Group>
        {policy.description !== '' && <Text>{policy.description}</Text>}
        <Text size="sm" c="dimmed">
          Created by {policy.created_by}, <Moment at={policy.created_at} />. Last changed{' '}
          <Moment at={policy.last_modified_at} />.
        </Text>
      </Stack>
      <Attachments org={org} policy={policy} />
      {policy.versions.length === 0 ? (
        <Empty title="This policy has no version" />
      ) : (
        <Versions org={org} policy={policy} />
      )}
      <History org={org} events={policy.events} />
    </Stack>
  )
}

function Archive({ org, policy }: { org: string; policy: Policy }) {
  const archiving = useMutation({
    mutationFn: () => archivePolicy(org, policy.name),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['policies', org] }),
  })
  const isAttached = policy.consuming_envs.length > 0
  return (
    <>
      <Button
        variant="default"
        loading={archiving.isPending}
        disabled={isAttached}
        title={isAttached ? 'Detach it from its environments first' : undefined}
        onClick={() => archiving.mutate()}
      >
        Archive
      </Button>
      {archiving.error && <Failed error={archiving.error} />}
    </>
  )
}
