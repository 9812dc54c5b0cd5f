// Settings that are made elsewhere: by the operator of the service, or on the page of a resource.
import { List, Stack, Title } from '@mantine/core'
import { PageLink } from '../../ui/page-link.tsx'
import { settingsTexts as texts } from './texts.ts'

export function Elsewhere({ org }: { org: string }) {
  return (
    <Stack component="section" aria-labelledby="elsewhere" gap="xs" mt="md">
      <Title order={2} size="h4" id="elsewhere">
        {texts.elsewhere.title}
      </Title>
      <List size="sm" spacing="xs">
        <List.Item>{texts.elsewhere.operator}</List.Item>
        <List.Item>
          {texts.elsewhere.resourcesBefore}{' '}
          <PageLink to="/$org" params={{ org }}>
            {texts.elsewhere.overview}
          </PageLink>
          {texts.elsewhere.resourcesAfter}
        </List.Item>
      </List>
    </Stack>
  )
}
