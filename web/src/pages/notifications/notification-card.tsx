// One notification in the list: who is told of what, whether it arrives, and what can be done with it.
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { useChange } from '../../ui/use-change.ts'
import { ABOUT, aboutSearch, subjectsOf } from './about.ts'
import { deleteNotification, testNotification } from './calls.ts'
import { SendTestButton, SentTest, useSendTest } from './send-test.tsx'
import { TargetLines } from './target-line.tsx'
import { type Notification, TRIGGERS } from './words.ts'

interface NotificationCardProps {
  org: string
  notification: Notification
}

export function NotificationCard({ org, notification }: NotificationCardProps) {
  const { name, number, triggers, targets, is_failing, last_success_timestamp } = notification
  const { about, names } = subjectsOf(notification)
  const { isMember } = useRole(org)
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={3} size="h4" className="long-name">
            {isMember ? (
              <PageLink
                to="/$org/settings/notifications/$number"
                params={{ org, number: String(number) }}
                search={aboutSearch(about)}
              >
                {name}
              </PageLink>
            ) : (
              name
            )}
          </Title>
          <Badge color={is_failing ? 'red' : 'green'} variant={is_failing ? 'filled' : 'light'}>
            {is_failing ? 'FAILING' : 'NOT FAILING'}
          </Badge>
        </Group>
        <Text size="sm">
          In {names.length === 0 ? `no ${ABOUT[about].noun}` : names.join(', ')}:{' '}
          {triggers.map(trigger => TRIGGERS[trigger].toLowerCase()).join('; ')}
        </Text>
        <Text size="sm">
          Something last arrived: <RelativeTime at={last_success_timestamp || null} />
        </Text>
        <TargetLines targets={targets} />
        {isMember ? (
          <CardActions org={org} notification={notification} />
        ) : (
          <Group>
            <DeliveriesLink org={org} name={name} number={number} />
          </Group>
        )}
      </Stack>
    </Card>
  )
}

function CardActions({ org, notification }: NotificationCardProps) {
  const { name, number } = notification
  const { about } = subjectsOf(notification)
  const place = { org, about, number }
  const remove = useChange(() => deleteNotification(place), { notice: `${name} is deleted` })
  const test = useSendTest(() => testNotification(place))
  return (
    <>
      <Group gap="xs">
        <ButtonLink
          size="xs"
          variant="default"
          aria-label={`Edit ${name}`}
          to="/$org/settings/notifications/$number"
          params={{ org, number: String(number) }}
          search={aboutSearch(about)}
        >
          Edit
        </ButtonLink>
        <SendTestButton test={test} name={name} />
        <DeliveriesLink org={org} name={name} number={number} />
        <ConfirmButton
          label="Delete"
          about={name}
          question="Nobody is told any more, and what is still on its way is not sent."
          change={remove}
          input={undefined}
        />
      </Group>
      <SentTest org={org} test={test} filter={{ number }} />
    </>
  )
}

function DeliveriesLink({ org, name, number }: { org: string; name: string; number: number }) {
  return (
    <ButtonLink
      size="xs"
      variant="default"
      aria-label={`Deliveries of ${name}`}
      to="/$org/settings/notifications/deliveries"
      params={{ org }}
      search={{ number }}
    >
      Deliveries
    </ButtonLink>
  )
}
