// A button that sends a test, and a link to its deliveries.
import { Alert, Button } from '@mantine/core'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { notificationsTexts as texts } from './texts.ts'

interface Sent {
  deliveries: string[]
}

export function useSendTest(send: () => Promise<Sent>) {
  return useChange(send)
}

type SendTest = ReturnType<typeof useSendTest>

export function SendTestButton({ test, name }: { test: SendTest; name: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      loading={test.isPending}
      aria-label={texts.test.sendLabel(name)}
      onClick={() => test.mutate(undefined)}
    >
      {texts.test.send}
    </Button>
  )
}

interface SentTestProps {
  org: string
  test: SendTest
  filter: { number: number } | { notification_type: 'api_key_expiry' }
}

export function SentTest({ org, test, filter }: SentTestProps) {
  if (test.error) return <ErrorAlert error={test.error} />
  if (!test.data) return null

  return (
    <Alert color="blue" role="status">
      {texts.test.sent(test.data.deliveries.length)}{' '}
      <PageLink
        to="/$org/settings/notifications/deliveries"
        params={{ org }}
        search={{ ...filter, event_type: 'TEST' }}
      >
        {texts.test.seeDelivery}
      </PageLink>
    </Alert>
  )
}
