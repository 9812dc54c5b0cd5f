// The environments that a policy is attached to.
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EnvironmentLink } from '../../parts/links.tsx'
import { environmentsQuery } from '../../parts/queries.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { computeState, computeStates, StateBadges } from '../../parts/state-badge.tsx'
import { useRole } from '../../parts/use-role.ts'
import { useStaleness } from '../../parts/use-staleness.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import type { Column } from '../../ui/sort-rows.ts'
import { useChange } from '../../ui/use-change.ts'
import { Attach } from './attach.tsx'
import { detachPolicy, type Policy } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'

type Environment = Schemas['Environment']

interface Props {
  org: string
  policy: Policy
}

export function Attachments({ org, policy }: Props) {
  const { isMember } = useRole(org)
  const environments = useQuery(environmentsQuery(org))
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h3">
        {texts.attachments.title}
      </Title>
      {policy.consuming_envs.length === 0 ? (
        <Text c="dimmed">{policy.archived ? texts.attachments.none : texts.attachments.noneYet}</Text>
      ) : (
        <AttachedTable org={org} policy={policy} environments={environments.data} />
      )}
      {isMember && !policy.archived && environments.data && (
        <Attach org={org} policy={policy} environments={environments.data} />
      )}
    </Stack>
  )
}

function AttachedTable({ org, policy, environments }: Props & { environments: Environment[] | undefined }) {
  const { isMember } = useRole(org)
  const now = useStaleness(environments ?? [])
  const rows = policy.consuming_envs.map(
    (name): Attached => ({ name, environment: now.find(each => each.name === name) }),
  )
  return (
    <DataTable
      caption={texts.attachments.caption}
      columns={listColumns({ org, policy, isMember })}
      rows={rows}
      getKey={({ name }) => name}
    />
  )
}

interface Attached {
  name: string
  /** Undefined if it is not among the loaded environments. */
  environment: Environment | undefined
}

function listColumns({ org, policy, isMember }: Props & { isMember: boolean }): Column<Attached>[] {
  const columns: Column<Attached>[] = [
    {
      title: texts.attachments.environment,
      sortBy: ({ name }) => name,
      render: ({ name }) => <EnvironmentLink org={org} environment={name} />,
    },
    {
      title: texts.attachments.compliance,
      sortBy: ({ environment }) => environment && computeState(environment),
      render: ({ environment }) =>
        environment && <StateBadges by="policies" states={computeStates(environment)} />,
    },
  ]
  if (!isMember) return columns
  const render = ({ name, environment }: Attached) => (
    <Detach org={org} policy={policy} name={name} attached={environment?.policies ?? []} />
  )
  return [...columns, { title: texts.attachments.change, render }]
}

function Detach({ org, policy, name, attached }: Props & { name: string; attached: string[] }) {
  const detach = useChange((environment: string) => detachPolicy(org, environment, policy.name), {
    notice: texts.attachments.detached(name),
  })
  const others = attached.filter(each => each !== policy.name)
  return (
    <ConfirmButton
      label={texts.attachments.detach}
      about={texts.attachments.detachFrom(name)}
      question={
        others.length === 0
          ? texts.attachments.detachLastQuestion(name)
          : texts.attachments.detachQuestion(name, others.join(', '))
      }
      change={detach}
      input={name}
    />
  )
}
