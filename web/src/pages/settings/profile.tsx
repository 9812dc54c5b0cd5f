// Whoever is signed in: where they start, their keys, their browsers.
import { Card, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, sessionQuery, unwrap } from '../../api.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { ApiKeys } from './api-keys.tsx'
import { ownKeys } from './key-owners.ts'
import { NewOrganization } from './new-organization.tsx'
import { defaultOrgQuery } from './queries.ts'
import { Sessions } from './sessions.tsx'

export function ProfilePage() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <Stack>
      <Title order={1}>{session?.display_name || session?.user || 'Profile'}</Title>
      {session && <Organizations orgs={session.orgs} mayCreate={session.may_create_orgs} />}
      <ApiKeys owner={ownKeys} mayChange />
      <Sessions />
    </Stack>
  )
}

function Organizations({ orgs, mayCreate }: { orgs: { name: string; role: string }[]; mayCreate: boolean }) {
  const chosen = useQuery(defaultOrgQuery)
  const choose = useChange((org: string) => unwrap(api.PUT('/user/{org}', { params: { path: { org } } })), {
    notice: (_, org) => `${org} is meant where none is named`,
  })
  return (
    <Card withBorder>
      <Title order={2}>Organizations</Title>
      <Text my="sm">
        {orgs.length === 0
          ? 'You are in no organization yet.'
          : orgs.map(({ name, role }) => `${name} (${role})`).join(', ')}
      </Text>
      {chosen.isPending ? (
        <Loading rows={1} />
      ) : chosen.error ? (
        <ErrorAlert error={chosen.error} />
      ) : (
        <Select
          label="Default organization"
          description="The one that is meant where none is named"
          placeholder="None is set"
          data={orgs.map(({ name }) => name)}
          value={chosen.data.default_org_name}
          allowDeselect={false}
          disabled={choose.isPending}
          maw={320}
          onChange={org => org && choose.mutate(org)}
        />
      )}
      {choose.error && <ErrorAlert error={choose.error} />}
      {mayCreate && (
        <Group mt="md">
          <NewOrganization />
        </Group>
      )}
    </Card>
  )
}
