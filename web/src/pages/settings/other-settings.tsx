// Settings that are made elsewhere: by the operator of the service, or on the page of a resource.
import { List, Stack, Title } from '@mantine/core'
import { PageLink } from '../../ui/page-link.tsx'
import { settingsTexts as texts } from './texts.ts'

export function OtherSettings({ org }: { org: string }) {
  return (
    <Stack component="section" aria-labelledby="other-settings" gap="xs" mt="md">
      <Title order={2} size="h4" id="other-settings">
        {texts.otherSettings.title}
      </Title>
      <List size="sm" spacing="xs">
        <List.Item>{texts.otherSettings.operator}</List.Item>
        <List.Item>
          {texts.otherSettings.resourcesBefore}{' '}
          <PageLink to="/$org" params={{ org }}>
            {texts.otherSettings.overview}
          </PageLink>
          {texts.otherSettings.resourcesAfter}
        </List.Item>
      </List>
    </Stack>
  )
}
