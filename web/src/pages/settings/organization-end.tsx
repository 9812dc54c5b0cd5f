// The export and the deletion of an organization.

import { Button, Card, Group, Text, Title } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import { BASE_PATH } from '../../base-path.ts'
import { buildApiPath } from '../../parts/curl.ts'
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx'
import { useChange } from '../../ui/use-change.ts'
import { settingsTexts as texts } from './texts.ts'

export function OrganizationEnd({ org, isShared }: { org: string; isShared: boolean }) {
  return (
    <>
      <Card withBorder>
        <Title order={2}>{texts.end.export}</Title>
        <Text my="sm">{texts.end.exportHelp(org)}</Text>
        <Group>
          <Button
            component="a"
            variant="default"
            href={buildApiPath('organizations', org, 'export')}
            download
          >
            {texts.end.download}
          </Button>
        </Group>
      </Card>
      {isShared ? <DeleteOrganization org={org} /> : <Text c="dimmed">{texts.end.personal}</Text>}
    </>
  )
}

function DeleteOrganization({ org }: { org: string }) {
  const remove = useChange(
    () => unwrap(api.DELETE('/organizations/{org}', { params: { path: { org } }, body: { confirm: org } })),
    // A full reload clears everything about the org from memory.
    { onDone: () => window.location.assign(`${BASE_PATH}/`) },
  )
  return (
    <Card withBorder>
      <Title order={2}>{texts.end.title}</Title>
      <Text my="sm">{texts.end.help}</Text>
      <Group>
        <ConfirmByTyping
          label={texts.end.delete}
          about={texts.end.about(org)}
          name={org}
          question={texts.end.question(org)}
          change={remove}
          input={undefined}
        />
      </Group>
    </Card>
  )
}
