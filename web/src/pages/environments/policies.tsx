// The policies attached to an environment, and the form to attach more.
import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { PolicyLink } from '../../parts/links.tsx'
import { policiesQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import type { Environment } from './answers.ts'
import { getPathParams, type Place } from './place.ts'
import { environmentTexts as texts } from './texts.ts'

const ADDRESS = '/environments/{org}/{env_name}/policies'

export function PoliciesTab({ place, environment }: { place: Place; environment: Environment }) {
  const known = useQuery(policiesQuery(place.org))
  const { isMember } = useRole(place.org)
  const canChange = isMember && !environment.archived
  if (environment.type === 'logical') {
    return <Empty title={texts.policies.logical}>{texts.policies.logicalHint}</Empty>
  }
  if (known.isPending) return <Loading />
  if (known.error) return <ErrorAlert error={known.error} />
  return (
    <Stack>
      {environment.policies.length === 0 ? (
        <Empty title={texts.policies.none} {...(canChange && { command: buildAttachCommand(place) })}>
          {texts.policies.noneHint}
        </Empty>
      ) : (
        <Attached place={place} names={environment.policies} known={known.data} canChange={canChange} />
      )}
      {canChange && (
        <>
          <Title order={2} size="h3">
            {texts.policies.attachTitle}
          </Title>
          <AttachForm
            place={place}
            choices={known.data.map(({ name }) => name).filter(name => !environment.policies.includes(name))}
          />
        </>
      )}
    </Stack>
  )
}

function buildAttachCommand({ org, environment }: Place): string {
  const body = { policy_names: ['production-rules'] }
  return buildCurl('POST', buildApiPath('environments', org, environment, 'policies'), body)
}

interface AttachedPolicy {
  name: string
  description: string | undefined
}

interface AttachedProps {
  place: Place
  names: readonly string[]
  known: readonly { name: string; description: string }[]
  canChange: boolean
}

function Attached({ place, names, known, canChange }: AttachedProps) {
  const policies = names.map(
    (name): AttachedPolicy => ({ name, description: known.find(each => each.name === name)?.description }),
  )
  return (
    <DataTable
      caption={texts.policies.caption}
      columns={listColumns(place, canChange)}
      rows={policies}
      getKey={({ name }) => name}
    />
  )
}

function listColumns(place: Place, canChange: boolean): Column<AttachedPolicy>[] {
  const columns: Column<AttachedPolicy>[] = [
    {
      title: texts.policies.policy,
      sortBy: ({ name }) => name,
      render: ({ name }) => <PolicyLink org={place.org} policy={name} />,
    },
    {
      title: texts.policies.description,
      sortBy: ({ description }) => description,
      render: ({ description }) => description,
    },
  ]
  if (!canChange) return columns
  const render = ({ name }: AttachedPolicy) => <Detach place={place} name={name} />
  return [...columns, { title: texts.policies.action, render }]
}

function Detach({ place, name }: { place: Place; name: string }) {
  const detach = useChange(
    (policy: string) =>
      unwrap(api.DELETE(ADDRESS, { params: getPathParams(place), body: { policy_names: [policy] } })),
    { notice: (_, policy) => texts.policies.detached(policy) },
  )
  return (
    <ConfirmButton
      label={texts.policies.detach}
      about={name}
      question={texts.policies.detachQuestion}
      change={detach}
      input={name}
    />
  )
}

function AttachForm({ place, choices }: { place: Place; choices: string[] }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const attach = useChange(
    (name: string) =>
      unwrap(api.POST(ADDRESS, { params: getPathParams(place), body: { policy_names: [name] } })),
    { onDone: () => setChosen(null), notice: (_, name) => texts.policies.attached(name) },
  )
  if (choices.length === 0) {
    return (
      <Text c="dimmed">
        {texts.policies.allAttached}{' '}
        <PageLink to="/$org/policies" params={{ org: place.org }}>
          {texts.policies.createAnother}
        </PageLink>
      </Text>
    )
  }
  return (
    <Stack gap="xs">
      <Group align="end">
        <Select label={texts.policies.policy} data={choices} value={chosen} onChange={setChosen} searchable />
        <Button
          disabled={chosen === null}
          loading={attach.isPending}
          onClick={() => chosen !== null && attach.mutate(chosen)}
        >
          {texts.policies.attach}
        </Button>
      </Group>
      {attach.error && <ErrorAlert error={attach.error} />}
    </Stack>
  )
}
