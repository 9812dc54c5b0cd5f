// What somebody sees of an organization that their session does not open: why, and the way in.
import { Button, Stack, Text, Title } from '@mantine/core'
import { buildSsoUrl } from '../api.ts'

export function NeedsSso({ org }: { org: string }) {
  const goToProvider = () =>
    window.location.assign(buildSsoUrl(window.location.pathname + window.location.search))
  return (
    <Stack align="flex-start" maw={640}>
      <Title order={1} className="long-name">
        {org}
      </Title>
      <Text>This organization requires single sign-on. You are signed in another way.</Text>
      <Button onClick={goToProvider}>Sign in with single sign-on</Button>
    </Stack>
  )
}
