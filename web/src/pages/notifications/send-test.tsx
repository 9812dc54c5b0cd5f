// A button that sends a test, and the way to what became of it.
import { Alert, Anchor, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Failed } from '../../ui/states.tsx'

interface Sent {
  deliveries: string[]
}

export function useSendTest(org: string, send: () => Promise<Sent>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: () => client.invalidateQueries({ queryKey: ['deliveries', org] }),
  })
}

type SendTest = ReturnType<typeof useSendTest>

export function SendTestButton({ test, name }: { test: SendTest; name: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      loading={test.isPending}
      aria-label={`Send a test: ${name}`}
      onClick={() => test.mutate()}
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
  if (test.error) return <Failed error={test.error} />
  if (!test.data) return null
  const count = test.data.deliveries.length
  return (
    <Alert color="blue" role="status">
      A test is on its way to {count === 1 ? 'one target' : `${count} targets`}.{' '}
      <Anchor
        inherit
        underline="always"
        renderRoot={props => (
          <Link
            to="/$org/settings/notifications/deliveries"
            params={{ org }}
            search={{ ...filter, event_type: 'TEST' }}
            {...props}
          />
        )}
      >
        See what becomes of it
      </Anchor>
    </Alert>
  )
}
