// One policy: its environments, versions and history.
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
import { policiesTexts as texts } from './texts.ts'
import { Versions } from './versions.tsx'

export function PolicyPage() {
  const { org, policy: name } = useParams({ from: '/$org/policies/$policy' })
  const policy = useQuery(policyQuery(org, name))
  return (
    <Stack>
      <Crumbs here={name}>
        <PageLink to="/$org/policies" params={{ org }}>
          {texts.crumbs.policies}
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
                  {texts.detail.edit}
                </ButtonLink>
              )}
              {isAdmin && <Archive org={org} policy={policy} />}
            </Group>
          )}
        </Group>
        {policy.archived && <ArchivedNotice org={org} kind="policy" name={policy.name} />}
        {policy.description !== '' && <Text>{policy.description}</Text>}
        <Text size="sm" c="dimmed">
          {texts.detail.createdBy(policy.created_by)} <RelativeTime at={policy.created_at} />
          {texts.detail.lastChanged} <RelativeTime at={policy.last_modified_at} />
          {texts.detail.end}
        </Text>
      </Stack>
      <Attachments org={org} policy={policy} />
      {policy.versions.length === 0 ? (
        <Empty title={texts.detail.noVersions} />
      ) : (
        <Versions org={org} policy={policy} />
      )}
      <History org={org} events={policy.events} />
    </Stack>
  )
}

function Archive({ org, policy }: { org: string; policy: Policy }) {
  const archive = useChange(() => archivePolicy(org, policy.name), {
    notice: texts.detail.archived(policy.name),
  })
  const isAttached = policy.consuming_envs.length > 0
  return (
    <Group gap="xs">
      <ConfirmButton
        label={texts.detail.archive}
        about={policy.name}
        question={texts.detail.archiveQuestion}
        change={archive}
        input={undefined}
        disabled={isAttached}
      />
      {isAttached && (
        <Text size="sm" c="dimmed">
          {texts.detail.detachFirst}
        </Text>
      )}
    </Group>
  )
}
