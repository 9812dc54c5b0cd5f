// One environment notification in the list: who is told of what, whether it arrives, and what can be done with it.
import { Anchor, Badge, Button, Card, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, api } from '../../api.ts'
import { Moment } from '../../parts/moment.tsx'
import { Failed } from '../../ui/states.tsx'
import { notificationsQuery } from './queries.ts'
import { SendTestButton, SentTest, useSendTest } from './send-test.tsx'
import { TargetLine } from './target-line.tsx'
import { addressOf, type Notification, TRIGGERS } from './words.ts'

interface NotificationCardProps {
  org: string
  notification: Notification
}

export function NotificationCard({ org, notification }: NotificationCardProps) {
  const { name, number, environments, triggers, targets, is_failing, last_success_timestamp } = notification
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={3} size="h4" className="long-name">
            <Anchor
              inherit
              renderRoot={props => (
                <Link
                  to="/$org/settings/notifications/$number"
                  params={{ org, number: String(number) }}
                  {...props}
                />
              )}
            >
              {name}
            </Anchor>
          </Title>
          <Badge color={is_failing ? 'red' : 'green'} variant={is_failing ? 'filled' : 'light'}>
            {is_failing ? 'FAILING' : 'NOT FAILING'}
          </Badge>
        </Group>
        <Text size="sm">
          In {environments.length === 0 ? 'no environment' : environments.join(', ')}:{' '}
          {triggers.map(trigger => TRIGGERS[trigger].toLowerCase()).join('; ')}
        </Text>
        <Text size="sm">
          Something last arrived: <Moment at={last_success_timestamp || null} />
        </Text>
        {targets.map(target => (
          <TargetLine key={`${target.type} ${addressOf(target)}`} target={target} />
        ))}
        <CardActions org={org} notification={notification} />
      </Stack>
    </Card>
  )
}

function CardActions({ org, notification: { name, number } }: NotificationCardProps) {
  const [opened, { open, close }] = useDisclosure()
  const test = useSendTest(org, () =>
    answered(
      api.POST('/organizations/{org}/environments_notifications/{number}/test', {
        params: { path: { org, number } },
      }),
    ),
  )
  return (
    <>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          aria-label={`Edit ${name}`}
          renderRoot={props => (
            <Link
              to="/$org/settings/notifications/$number"
              params={{ org, number: String(number) }}
              {...props}
            />
          )}
        >
          Edit
        </Button>
        <SendTestButton test={test} name={name} />
        <Button
          size="xs"
          variant="default"
          aria-label={`Deliveries of ${name}`}
          renderRoot={props => (
            <Link
              to="/$org/settings/notifications/deliveries"
              params={{ org }}
              search={{ number }}
              {...props}
            />
          )}
        >
          Deliveries
        </Button>
        <Button size="xs" variant="light" color="red" aria-label={`Delete ${name}`} onClick={open}>
          Delete
        </Button>
      </Group>
      <SentTest org={org} test={test} filter={{ number }} />
      <Modal
        opened={opened}
        onClose={close}
        title={`Delete ${name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <DeleteQuestion org={org} number={number} onClose={close} />
      </Modal>
    </>
  )
}

interface DeleteQuestionProps {
  org: string
  number: number
  onClose: () => void
}

function DeleteQuestion({ org, number, onClose }: DeleteQuestionProps) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      answered(
        api.DELETE('/organizations/{org}/environments_notifications/{number}', {
          params: { path: { org, number } },
        }),
      ),
    onSuccess: async () => {
      onClose()
      await client.invalidateQueries({ queryKey: notificationsQuery(org).queryKey })
    },
  })
  return (
    <Stack>
      <Text>Nobody is told any more, and what is still on its way is not sent.</Text>
      {remove.error && <Failed error={remove.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </Group>
    </Stack>
  )
}
