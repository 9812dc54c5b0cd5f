// Everything an organization has as a file, and its deletion.
import { Button, Card, Group, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answered, api, sessionQuery } from '../../api.ts'
import { ConfirmByTyping } from './confirm-by-typing.tsx'

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
            href={`/api/v2/organizations/${encodeURIComponent(org)}/export`}
            download
          >
            Download the export
          </Button>
        </Group>
      </Card>
      {isShared && <DeleteOrganization org={org} />}
    </>
  )
}

function DeleteOrganization({ org }: { org: string }) {
  const client = useQueryClient()
  const [opened, { open, close }] = useDisclosure()
  const remove = useMutation({
    mutationFn: () =>
      answered(api.DELETE('/organizations/{org}', { params: { path: { org } }, body: { confirm: org } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey })
      // A new start: nothing of the org is left in the memory of the page.
      window.location.assign('/')
    },
  })
  return (
    <Card withBorder>
      <Title order={2}>Delete the organization</Title>
      <Text my="sm">
        From then on it answers like one that does not exist. For 14 days an operator can restore it.
      </Text>
      <Group>
        <Button color="red" variant="light" onClick={open}>
          Delete the organization
        </Button>
      </Group>
      <ConfirmByTyping
        opened={opened}
        title="Delete the organization"
        name={org}
        action="Delete the organization"
        isPending={remove.isPending}
        error={remove.error}
        onClose={close}
        onConfirm={remove.mutate}
      >
        Download the export first: afterwards there is none. Everybody in {org} loses access at once.
      </ConfirmByTyping>
    </Card>
  )
}
