// Everything an organization has as a file, and its deletion.
import { Button, Card, Group, Text, Title } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import { buildApiPath } from '../../parts/curl.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { useChange } from '../../ui/use-change.ts'

export function OrganizationEnd({ org, isShared }: { org: string; isShared: boolean }) {
  return (
    <>
      <Card withBorder>
        <Title order={2}>Export</Title>
        <Text my="sm">
          Everything that is stored about {org}, as a .tgz with checksums. Secrets are not in it.
        </Text>
        <Group>
          <Button
            component="a"
            variant="default"
            href={buildApiPath('organizations', org, 'export')}
            download
          >
            Download the export
          </Button>
        </Group>
      </Card>
      {isShared ? (
        <DeleteOrganization org={org} />
      ) : (
        <Text c="dimmed">A personal organization stays as long as its person: it cannot be deleted.</Text>
      )}
    </>
  )
}

function DeleteOrganization({ org }: { org: string }) {
  const remove = useChange(
    () => unwrap(api.DELETE('/organizations/{org}', { params: { path: { org } }, body: { confirm: org } })),
    // A new start: nothing of the org is left in the memory of the page.
    { onDone: () => window.location.assign('/') },
  )
  return (
    <Card withBorder>
      <Title order={2}>Delete the organization</Title>
      <Text my="sm">
        From then on it answers like one that does not exist. For 14 days an operator can restore it.
      </Text>
      <Group>
        <ConfirmByTyping
          label="Delete"
          about={`the organization ${org}`}
          name={org}
          question={`Download the export first: afterwards there is none. Everybody in ${org} loses access at once.`}
          change={remove}
          input={undefined}
        />
      </Group>
    </Card>
  )
}
