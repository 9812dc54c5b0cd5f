// Explains that an organization requires single sign-on, with a button to sign in.

import { Button, Stack, Text, Title } from '@mantine/core'
import { buildSsoUrl } from '../api.ts'
import { readOwnPath } from '../base-path.ts'
import { shellTexts as texts } from './texts.ts'

export function NeedsSso({ org }: { org: string }) {
  const goToProvider = () => window.location.assign(buildSsoUrl(readOwnPath()))
  return (
    <Stack align="flex-start" maw={640}>
      <Title order={1} className="long-name">
        {org}
      </Title>
      <Text>{texts.needsSso.reason}</Text>
      <Button onClick={goToProvider}>{texts.needsSso.signIn}</Button>
    </Stack>
  )
}
