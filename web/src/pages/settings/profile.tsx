// The profile of the signed-in user: name and address, organizations, API keys and sessions.
import { Card, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, sessionQuery, unwrap } from '../../api.ts'
import { formatRole } from '../../parts/use-role.ts'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { ApiKeys } from './api-keys.tsx'
import { ownKeys } from './key-owners.ts'
import { NameAndAddress } from './name-and-address.tsx'
import { NewOrganization } from './new-organization.tsx'
import { defaultOrgQuery } from './queries.ts'
import { Sessions } from './sessions.tsx'
import { profileTexts as texts } from './texts-profile.ts'

export function ProfilePage() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <Stack>
      <Title order={1}>{session?.display_name || session?.user || texts.profile.title}</Title>
      <NameAndAddress />
      {session && <Organizations orgs={session.orgs} canCreate={session.may_create_orgs} />}
      <ApiKeys owner={ownKeys} canChange />
      <Sessions />
    </Stack>
  )
}

function Organizations({ orgs, canCreate }: { orgs: { name: string; role: string }[]; canCreate: boolean }) {
  const chosen = useQuery(defaultOrgQuery)
  const choose = useChange((org: string) => unwrap(api.PUT('/user/{org}', { params: { path: { org } } })), {
    notice: (_, org) => texts.profile.defaultOrgSaved(org),
  })
  return (
    <Card withBorder>
      <Title order={2}>{texts.profile.organizations}</Title>
      <Text my="sm">
        {orgs.length === 0
          ? texts.profile.noOrganizations
          : orgs.map(({ name, role }) => texts.profile.organization(name, formatRole(role))).join(', ')}
      </Text>
      {chosen.isPending ? (
        <Loading rows={1} />
      ) : chosen.error ? (
        <ErrorAlert error={chosen.error} />
      ) : (
        <Select
          label={texts.profile.defaultOrg}
          description={texts.profile.defaultOrgHelp}
          placeholder={texts.profile.defaultOrgEmpty}
          data={orgs.map(({ name }) => name)}
          value={chosen.data.default_org_name}
          allowDeselect={false}
          disabled={choose.isPending}
          maw={320}
          onChange={org => org && choose.mutate(org)}
        />
      )}
      {choose.error && <ErrorAlert error={choose.error} />}
      {canCreate && (
        <Group mt="md">
          <NewOrganization />
        </Group>
      )}
    </Card>
  )
}
