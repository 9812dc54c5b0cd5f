// Shows that the session is over while the page contains unsaved text. The text stays in the page's memory;
// the user signs in in another tab, which notifies this one.
import { Alert, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { buildSignInUrl, resumeSession, sessionQuery } from '../api.ts'
import { ExternalLink } from '../ui/external-link.tsx'
import text_styles from '../ui/text.module.css'
import { shellTexts as texts } from './texts.ts'

/** Between the tabs of one browser; nothing is stored. */
const CHANNEL = 'waybill-session'

export function SignedOutBanner() {
  const session = useQuery(sessionQuery)
  const hasExpired = session.data?.has_expired === true
  const isSignedIn = session.data !== undefined && session.data !== null && !hasExpired
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    if (isSignedIn) channel.postMessage('signed in')
    const resume = () => void resumeSession()
    channel.addEventListener('message', resume)
    window.addEventListener('focus', resume)
    return () => {
      channel.close()
      window.removeEventListener('focus', resume)
    }
  }, [isSignedIn])
  if (!hasExpired) return null
  return (
    <Alert
      color="orange"
      variant="light"
      role="alert"
      mb="md"
      title={texts.signedOut.title}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <Text size="sm" mb="xs">
        {texts.signedOut.hint}
      </Text>
      <Group>
        <ExternalLink href={window.location.origin + buildSignInUrl('/')}>
          {texts.signedOut.signIn}
        </ExternalLink>
        <Button size="compact-sm" variant="default" onClick={() => void resumeSession()}>
          {texts.signedOut.resume}
        </Button>
      </Group>
    </Alert>
  )
}
