// Where a policy is attached: the environments that are judged by its latest version.
import { Button, Group, Select, Stack, Table, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../api.ts'
import { ComplianceBadge } from '../../parts/compliance-badge.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Failed } from '../../ui/states.tsx'
import { EnvironmentLinks } from './environment-links.tsx'
import { namesAndStatesQuery } from './environments.ts'
import { attachPolicy, detachPolicy, type Policy } from './queries.ts'

/** Another set of policies is another verdict, so environments and their snapshots are asked for again as well. */
async function forgetVerdicts(org: string) {
  await Promise.all(
    ['policies', 'environments', 'snapshot'].map(first =>
      queries.invalidateQueries({ queryKey: [first, org] }),
    ),
  )
}

export function Attachments({ org, policy }: { org: string; policy: Policy }) {
  const { isMember } = useRole(org)
  const environments = useQuery(namesAndStatesQuery(org))
  const detaching = useMutation({
    mutationFn: (environment: string) => detachPolicy(org, environment, policy.name),
    onSuccess: () => forgetVerdicts(org),
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
                    <EnvironmentLinks org={org} names={[name]} />
                  </Table.Td>
                  <Table.Td miw={150}>
                    {environments.data && (
                      <ComplianceBadge
                        compliant={environments.data.find(each => each.name === name)?.state}
                      />
                    )}
                  </Table.Td>
                  {isMember && (
                    <Table.Td>
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`Detach from ${name}`}
                        loading={detaching.isPending && detaching.variables === name}
                        onClick={() => detaching.mutate(name)}
                      >
                        Detach
                      </Button>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {detaching.error && <Failed error={detaching.error} />}
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
  const attaching = useMutation({
    mutationFn: (name: string) => attachPolicy(org, name, policy.name),
    onSuccess: async () => {
      setEnvironment(null)
      await forgetVerdicts(org)
    },
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
