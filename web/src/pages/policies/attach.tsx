// Attaching a policy to another environment: what that would change there is shown before it is done.
import { Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { attachPolicy, type Policy, triedQuery } from './queries.ts'
import { TriedResult } from './tried.tsx'

type Environment = Schemas['Environment']

interface Props {
  org: string
  policy: Policy
  environments: Environment[]
}

export function Attach({ org, policy, environments }: Props) {
  const [name, setName] = useState<string | null>(null)
  const attaching = useChange((wanted: string) => attachPolicy(org, wanted, policy.name), {
    onDone: () => setName(null),
    notice: (_, wanted) => `Attached to ${wanted}`,
  })
  const free = environments.filter(
    each => each.type !== 'logical' && !policy.consuming_envs.includes(each.name),
  )
  const chosen = free.find(each => each.name === name)
  if (free.length === 0) return null
  return (
    <Group gap="xs">
      <Select
        aria-label="Environment to attach it to"
        placeholder="Another environment"
        data={free.map(each => each.name)}
        value={name}
        onChange={setName}
        searchable
      />
      <ConfirmButton
        label="Attach"
        about={chosen ? `to ${chosen.name}` : 'to an environment'}
        question={chosen && <Consequences org={org} policy={policy} environment={chosen} />}
        change={attaching}
        input={name ?? ''}
        disabled={chosen === undefined}
        color="blue"
      />
    </Group>
  )
}

interface ConsequencesProps {
  org: string
  policy: Policy
  environment: Environment
}

function Consequences({ org, policy, environment: { name, latest_snapshot_index } }: ConsequencesProps) {
  const isEmpty = latest_snapshot_index === 0
  const policy_yaml = policy.versions.at(-1)?.policy_yaml ?? ''
  const tried = useQuery({
    ...triedQuery({ org, policy: policy.name, policy_yaml }, name),
    enabled: !isEmpty,
  })
  return (
    <Stack>
      <Text>What runs in {name} is judged by it at once, beside the policies that are attached already.</Text>
      {isEmpty ? (
        <Text>Nothing was reported of {name} yet: nothing changes today.</Text>
      ) : tried.isPending ? (
        <Loading rows={2} />
      ) : tried.error ? (
        <ErrorAlert error={tried.error} />
      ) : (
        <TriedResult org={org} tried={tried.data} />
      )}
    </Stack>
  )
}
