// A button that sends a test, and the way to what became of it.
import { Alert, Button } from '@mantine/core'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'

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
      aria-label={`Send a test: ${name}`}
      onClick={() => test.mutate(undefined)}
    >
      Send a test
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
  const count = test.data.deliveries.length
  return (
    <Alert color="blue" role="status">
      A test is on its way to {count === 1 ? 'one target' : `${count} targets`}.{' '}
      <PageLink
        to="/$org/settings/notifications/deliveries"
        params={{ org }}
        search={{ ...filter, event_type: 'TEST' }}
      >
        See what becomes of it
      </PageLink>
    </Alert>
  )
}
