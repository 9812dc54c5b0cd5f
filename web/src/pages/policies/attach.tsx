// Attaches a policy to an environment, after showing what would change there.
import { Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../parts/schemas.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { attachPolicy, type Policy, triedQuery } from './queries.ts'
import { policiesTexts as texts } from './texts.ts'
import { TriedResult } from './tried.tsx'

type Environment = Schemas['Environment']

interface Props {
  org: string
  policy: Policy
  environments: Environment[]
}

export function Attach({ org, policy, environments }: Props) {
  const [name, setName] = useState<string | null>(null)
  const attach = useChange((environment: string) => attachPolicy(org, environment, policy.name), {
    onDone: () => setName(null),
    notice: (_, environment) => texts.attachments.attached(environment),
  })
  const available = environments.filter(
    each => each.type !== 'logical' && !policy.consuming_envs.includes(each.name),
  )
  const chosen = available.find(each => each.name === name)
  if (available.length === 0) return null
  return (
    <Group gap="xs">
      <Select
        aria-label={texts.attachments.picker}
        placeholder={texts.attachments.pickerExample}
        data={available.map(each => each.name)}
        value={name}
        onChange={setName}
        searchable
      />
      <ConfirmButton
        label={texts.attachments.attach}
        about={chosen ? texts.attachments.attachTo(chosen.name) : texts.attachments.attachToAny}
        question={chosen && <Consequences org={org} policy={policy} environment={chosen} />}
        change={attach}
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
  const latest = policy.versions.at(-1)
  const policy_yaml = latest?.policy_yaml ?? ''
  const tried = useQuery({
    ...triedQuery({ org, policy: policy.name, policy_yaml }, name),
    enabled: !isEmpty,
  })
  return (
    <Stack>
      <Text>{texts.attachments.attachQuestion(name, latest?.version ?? 1)}</Text>
      {isEmpty ? (
        <Text>{texts.attachments.attachToEmpty(name)}</Text>
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
