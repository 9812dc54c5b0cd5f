// One policy: what it asks for now, where it is attached, its versions, and what happened to it.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ArchivedNotice } from '../../parts/archived.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { Attachments } from './attachments.tsx'
import { History } from './history.tsx'
import { archivePolicy, type Policy, policyQuery } from './queries.ts'
import { Versions } from './versions.tsx'

export function PolicyPage() {
  const { org, policy: name } = useParams({ from: '/$org/policies/$policy' })
  const policy = useQuery(policyQuery(org, name))
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/policies" params={{ org }}>
          Policies
        </PageLink>
      </Crumbs>
      {policy.isPending ? (
        <Loading />
      ) : policy.error ? (
        <>
          <Title order={1} className="fingerprint">
            {name}
          </Title>
          <ErrorAlert error={policy.error} />
        </>
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
          <Title order={1} className="fingerprint">
            {policy.name}
          </Title>
          {!policy.archived && (
            <Group>
              {isMember && (
                <ButtonLink to="/$org/policies/$policy/edit" params={{ org, policy: policy.name }}>
                  Edit and try
                </ButtonLink>
              )}
              {isAdmin && <Archive org={org} policy={policy} />}
            </Group>
          )}
        </Group>
        {policy.archived && <ArchivedNotice org={org} kind="policy" name={policy.name} />}
        {policy.description !== '' && <Text>{policy.description}</Text>}
        <Text size="sm" c="dimmed">
          Created by {policy.created_by}, <RelativeTime at={policy.created_at} />. Last changed{' '}
          <RelativeTime at={policy.last_modified_at} />.
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
  const archiving = useChange(() => archivePolicy(org, policy.name), { notice: `${policy.name} is archived` })
  const isAttached = policy.consuming_envs.length > 0
  return (
    <Group gap="xs">
      <ConfirmButton
        label="Archive"
        about={policy.name}
        question="It cannot be attached any more. It is kept with its versions, and can be unarchived."
        change={archiving}
        input={undefined}
        disabled={isAttached}
      />
      {isAttached && (
        <Text size="sm" c="dimmed">
          Detach it from its environments first.
        </Text>
      )}
    </Group>
  )
}
