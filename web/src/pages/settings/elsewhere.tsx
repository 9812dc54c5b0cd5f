// What is set somewhere else: by the operator of the service, or on the page of what it is about.
import { List, Stack, Title } from '@mantine/core'
import { PageLink } from '../../ui/page-link.tsx'

export function Elsewhere({ org }: { org: string }) {
  return (
    <Stack component="section" aria-labelledby="elsewhere" gap="xs" mt="md">
      <Title order={2} size="h4" id="elsewhere">
        Set elsewhere
      </Title>
      <List size="sm" spacing="xs">
        <List.Item>
          Signing in by an identity provider, the mail server, and which CI systems may be trusted: whoever
          runs the service sets them when it starts.
        </List.Item>
        <List.Item>
          A flow, an environment, a policy or a control: on its own page, from{' '}
          <PageLink to="/$org" params={{ org }}>
            the overview
          </PageLink>
          .
        </List.Item>
      </List>
    </Stack>
  )
}
