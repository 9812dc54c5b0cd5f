// The policies that judge what runs in an environment.
import { Button, Group, Select, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { PolicyLink } from '../../parts/links.tsx'
import { policiesQuery } from '../../parts/queries.ts'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import type { Environment } from './answers.ts'
import { type Place, pathParams } from './place.ts'

const ADDRESS = '/environments/{org}/{env_name}/policies'

export function PoliciesTab({ place, environment }: { place: Place; environment: Environment }) {
  const known = useQuery(policiesQuery(place.org))
  const { isMember } = useRole(place.org)
  const canChange = isMember && !environment.archived
  if (environment.type === 'logical') {
    return (
      <Empty title="A logical environment has no policies of its own">
        Each of the environments that it combines is judged by its own.
      </Empty>
    )
  }
  if (known.isPending) return <Loading />
  if (known.error) return <ErrorAlert error={known.error} />
  return (
    <Stack>
      {environment.policies.length === 0 ? (
        <Empty title="No policy is attached" {...(canChange && { command: attachCommand(place) })}>
          Without any policy the compliance is unknown.
        </Empty>
      ) : (
        <Attached place={place} names={environment.policies} known={known.data} canChange={canChange} />
      )}
      {canChange && (
        <>
          <Title order={2} size="h3">
            Attach a policy
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

function attachCommand({ org, environment }: Place): string {
  const body = { policy_names: ['production-rules'] }
  return buildCurl('POST', buildApiPath('environments', org, environment, 'policies'), body)
}

interface AttachedProps {
  place: Place
  names: readonly string[]
  known: readonly { name: string; description: string }[]
  canChange: boolean
}

function Attached({ place, names, known, canChange }: AttachedProps) {
  const detach = useChange(
    (name: string) =>
      unwrap(api.DELETE(ADDRESS, { params: pathParams(place), body: { policy_names: [name] } })),
    { notice: (_, name) => `${name} is detached` },
  )
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Policy</Table.Th>
            <Table.Th>What it is for</Table.Th>
            {canChange && (
              <Table.Th>
                <VisuallyHidden>Action</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map(name => (
            <Table.Tr key={name}>
              <Table.Td>
                <PolicyLink org={place.org} policy={name} />
              </Table.Td>
              <Table.Td>{known.find(each => each.name === name)?.description}</Table.Td>
              {canChange && (
                <Table.Td>
                  <ConfirmButton
                    label="Detach"
                    about={name}
                    question="What runs here is judged again at once. Without any policy the compliance is unknown."
                    change={detach}
                    input={name}
                  />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function AttachForm({ place, choices }: { place: Place; choices: string[] }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const attach = useChange(
    (name: string) =>
      unwrap(api.POST(ADDRESS, { params: pathParams(place), body: { policy_names: [name] } })),
    { onDone: () => setChosen(null), notice: (_, name) => `${name} is attached` },
  )
  if (choices.length === 0) {
    return (
      <Text c="dimmed">
        Every policy is attached.{' '}
        <PageLink to="/$org/policies" params={{ org: place.org }}>
          Write another
        </PageLink>
      </Text>
    )
  }
  return (
    <Stack gap="xs">
      <Group align="end">
        <Select label="Policy" data={choices} value={chosen} onChange={setChosen} searchable />
        <Button
          disabled={chosen === null}
          loading={attach.isPending}
          onClick={() => chosen !== null && attach.mutate(chosen)}
        >
          Attach
        </Button>
      </Group>
      {attach.error && <ErrorAlert error={attach.error} />}
    </Stack>
  )
}
