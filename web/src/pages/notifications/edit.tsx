// The pages that make and change an environment notification.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { answered, api } from '../../api.ts'
import { ForRole } from '../../parts/for-role.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { draftOf, NEW_NOTIFICATION, type NotificationDraft, notificationInput } from './draft.ts'
import { NotificationForm } from './form.tsx'
import { notificationQuery } from './queries.ts'
import type { Notification } from './words.ts'

export function NewNotificationPage() {
  const { org } = useParams({ from: '/$org/settings/notifications/new' })
  const [initial] = useState(NEW_NOTIFICATION)
  const create = useSave(org, draft =>
    answered(
      api.PUT('/organizations/{org}/environments_notifications', {
        params: { path: { org } },
        body: notificationInput(draft),
      }),
    ),
  )
  return (
    <Stack>
      <NotificationCrumbs org={org} here="New" />
      <Title order={1}>New notification</Title>
      <ForRole org={org} least="member" what="notifications">
        <NotificationForm
          org={org}
          initial={initial}
          action="Create the notification"
          isPending={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
        />
      </ForRole>
    </Stack>
  )
}

export function EditNotificationPage() {
  const { org, number } = useParams({ from: '/$org/settings/notifications/$number' })
  const isNumber = /^[1-9]\d{0,8}$/.test(number)
  return (
    <Stack>
      <NotificationCrumbs org={org} here={number} />
      <Title order={1}>Change a notification</Title>
      <ForRole org={org} least="member" what="notifications">
        {isNumber ? (
          <LoadedNotification key={`${org} ${number}`} org={org} number={Number(number)} />
        ) : (
          <Empty title="There is no such notification">Notifications have numbers.</Empty>
        )}
      </ForRole>
    </Stack>
  )
}

function LoadedNotification({ org, number }: { org: string; number: number }) {
  const notification = useQuery(notificationQuery(org, number))
  if (notification.isPending) return <Loading />
  if (notification.error) return <Failed error={notification.error} />
  return <ChangeNotification org={org} notification={notification.data} />
}

function ChangeNotification({ org, notification }: { org: string; notification: Notification }) {
  const [initial] = useState(() => draftOf(notification))
  const { number } = notification
  const change = useSave(org, draft =>
    answered(
      api.PUT('/organizations/{org}/environments_notifications/{number}', {
        params: { path: { org, number } },
        body: notificationInput(draft),
      }),
    ),
  )
  return (
    <NotificationForm
      org={org}
      initial={initial}
      action="Save"
      isPending={change.isPending}
      error={change.error}
      onSubmit={change.mutate}
    />
  )
}

function useSave(org: string, save: (draft: NotificationDraft) => Promise<unknown>) {
  const navigate = useNavigate()
  return useChange(save, {
    done: () => navigate({ to: '/$org/settings/notifications', params: { org } }),
    said: 'Saved',
  })
}

function NotificationCrumbs({ org, here }: { org: string; here: string }) {
  return (
    <Crumbs here={here}>
      <PageLink to="/$org/settings" params={{ org }}>
        Settings
      </PageLink>
      <PageLink to="/$org/settings/notifications" params={{ org }}>
        Notifications
      </PageLink>
    </Crumbs>
  )
}
