// The pages that make and change a notification.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ForRole } from '../../parts/for-role.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { createNotification, type NotificationPlace, replaceNotification } from './calls.ts'
import { draftOf, NEW_NOTIFICATION, type NotificationDraft, notificationInput } from './draft.ts'
import { NotificationForm } from './form.tsx'
import { notificationQuery } from './queries.ts'
import type { Notification } from './words.ts'

export function NewNotificationPage() {
  const { org } = useParams({ from: '/$org/settings/notifications/new' })
  const [initial] = useState(NEW_NOTIFICATION)
  const create = useSave(org, draft => createNotification(org, draft.about, notificationInput(draft)))
  return (
    <Stack>
      <NotificationCrumbs org={org} here="New" />
      <Title order={1}>New notification</Title>
      <ForRole org={org} minRole="member" what="notifications">
        <NotificationForm
          org={org}
          initial={initial}
          isNew
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
  const { about = 'environments' } = useSearch({ from: '/$org/settings/notifications/$number' })
  const isNumber = /^[1-9]\d{0,8}$/.test(number)
  return (
    <Stack>
      <NotificationCrumbs org={org} here={number} />
      <Title order={1}>Change a notification</Title>
      <ForRole org={org} minRole="member" what="notifications">
        {isNumber ? (
          <LoadedNotification
            key={`${org} ${about} ${number}`}
            place={{ org, about, number: Number(number) }}
          />
        ) : (
          <Empty title="There is no such notification">Notifications have numbers.</Empty>
        )}
      </ForRole>
    </Stack>
  )
}

function LoadedNotification({ place }: { place: NotificationPlace }) {
  const notification = useQuery(notificationQuery(place))
  if (notification.isPending) return <Loading />
  if (notification.error) return <ErrorAlert error={notification.error} />
  return <ChangeNotification place={place} notification={notification.data} />
}

interface ChangeNotificationProps {
  place: NotificationPlace
  notification: Notification
}

function ChangeNotification({ place, notification }: ChangeNotificationProps) {
  const { org } = place
  const [initial] = useState(() => draftOf(notification))
  const change = useSave(org, draft => replaceNotification(place, notificationInput(draft)))
  return (
    <NotificationForm
      org={org}
      initial={initial}
      isNew={false}
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
    onDone: () => navigate({ to: '/$org/settings/notifications', params: { org } }),
    notice: 'Saved',
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
