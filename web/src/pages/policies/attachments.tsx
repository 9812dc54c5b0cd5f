// Where a policy is attached: the environments that are judged by its latest version.
import { Button, Group, Select, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EnvironmentLink } from '../../parts/links.tsx'
import { environmentsQuery } from '../../parts/queries.ts'
import { StateBadge, stateOf } from '../../parts/state-badge.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Failed } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { attachPolicy, detachPolicy, type Policy } from './queries.ts'

export function Attachments({ org, policy }: { org: string; policy: Policy }) {
  const { isMember } = useRole(org)
  const environments = useQuery(environmentsQuery(org))
  const detaching = useChange((environment: string) => detachPolicy(org, environment, policy.name), {
    said: (_, environment) => `Detached from ${environment}`,
  })
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h3">
        Attached to
      </Title>
      {policy.consuming_envs.length === 0 ? (
        <Text c="dimmed">No environment is judged by this policy yet.</Text>
      ) : (
        <Table.ScrollContainer minWidth={420} maw={640}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Environment</Table.Th>
                <Table.Th>Compliance</Table.Th>
                {isMember && <Table.Th>Change</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {policy.consuming_envs.map(name => (
                <Table.Tr key={name}>
                  <Table.Td>
                    <EnvironmentLink org={org} environment={name} />
                  </Table.Td>
                  <Table.Td miw={150}>
                    {environments.data && (
                      <StateBadge
                        state={stateOf(environments.data.find(each => each.name === name)?.state)}
                      />
                    )}
                  </Table.Td>
                  {isMember && (
                    <Table.Td>
                      <ConfirmButton
                        label="Detach"
                        about={`from ${name}`}
                        question="What runs there is judged again at once. Without any policy the compliance is unknown."
                        change={detaching}
                        input={name}
                      />
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {isMember && !policy.archived && (
        <Attach
          org={org}
          policy={policy}
          free={(environments.data ?? [])
            .filter(each => each.type !== 'logical' && !policy.consuming_envs.includes(each.name))
            .map(({ name }) => name)}
        />
      )}
    </Stack>
  )
}

function Attach({ org, policy, free }: { org: string; policy: Policy; free: string[] }) {
  const [environment, setEnvironment] = useState<string | null>(null)
  const attaching = useChange((name: string) => attachPolicy(org, name, policy.name), {
    done: () => setEnvironment(null),
    said: (_, name) => `Attached to ${name}`,
  })
  if (free.length === 0) return null
  return (
    <>
      <Group gap="xs">
        <Select
          aria-label="Environment to attach it to"
          placeholder="Another environment"
          data={free}
          value={environment}
          onChange={setEnvironment}
          searchable
        />
        <Button
          variant="default"
          disabled={environment === null}
          loading={attaching.isPending}
          onClick={() => environment !== null && attaching.mutate(environment)}
        >
          Attach
        </Button>
      </Group>
      {attaching.error && <Failed error={attaching.error} />}
    </>
  )
}
