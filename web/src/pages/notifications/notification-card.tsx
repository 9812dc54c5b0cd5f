// One notification in the list: what it reports, whether it is delivered, and its actions.
import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { ButtonLink, PageLink } from '../../ui/page-link.tsx'
import { useChange } from '../../ui/use-change.ts'
import { buildAboutSearch, getSubjects } from './about.ts'
import { deleteNotification, testNotification } from './calls.ts'
import { type Notification, TRIGGERS } from './codes.ts'
import { SendTestButton, SentTest, useSendTest } from './send-test.tsx'
import { TargetLines } from './target-line.tsx'
import { notificationsTexts as texts } from './texts.ts'

interface NotificationCardProps {
  org: string
  notification: Notification
}

export function NotificationCard({ org, notification }: NotificationCardProps) {
  const { name, number, triggers, targets, is_failing, last_success_timestamp } = notification
  const { about, names } = getSubjects(notification)
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
                search={buildAboutSearch(about)}
              >
                {name}
              </PageLink>
            ) : (
              name
            )}
          </Title>
          <Badge color={is_failing ? 'red' : 'green'} variant={is_failing ? 'filled' : 'light'}>
            {is_failing ? texts.card.failing : texts.card.healthy}
          </Badge>
        </Group>
        <Text size="sm">
          {texts.card.summary(
            names.length === 0 ? texts[about].none : names.join(', '),
            triggers.map(trigger => TRIGGERS[trigger].toLowerCase()).join('; '),
          )}
        </Text>
        <Text size="sm">
          {last_success_timestamp ? (
            <>
              {texts.card.lastDelivered} <RelativeTime at={last_success_timestamp} />
            </>
          ) : (
            texts.card.neverDelivered
          )}
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
  const { about } = getSubjects(notification)
  const place = { org, about, number }
  const remove = useChange(() => deleteNotification(place), { notice: texts.card.deleted(name) })
  const test = useSendTest(() => testNotification(place))
  return (
    <>
      <Group gap="xs">
        <ButtonLink
          size="xs"
          variant="default"
          aria-label={texts.card.editLabel(name)}
          to="/$org/settings/notifications/$number"
          params={{ org, number: String(number) }}
          search={buildAboutSearch(about)}
        >
          {texts.card.edit}
        </ButtonLink>
        <SendTestButton test={test} name={name} />
        <DeliveriesLink org={org} name={name} number={number} />
        <ConfirmButton
          label={texts.card.delete}
          about={name}
          question={texts.card.deleteQuestion}
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
      aria-label={texts.card.deliveriesLabel(name)}
      to="/$org/settings/notifications/deliveries"
      params={{ org }}
      search={{ number }}
    >
      {texts.card.deliveries}
    </ButtonLink>
  )
}
