// The pages that make and change an environment notification.
import { Stack, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { answered, api } from '../../api.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { PagePath } from '../settings/page-path.tsx'
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
      <PagePath org={org} above="Notifications" here="New" />
      <Title order={1}>New notification</Title>
      <NotificationForm
        org={org}
        initial={initial}
        action="Create the notification"
        isPending={create.isPending}
        error={create.error}
        onSubmit={create.mutate}
      />
    </Stack>
  )
}

export function EditNotificationPage() {
  const { org, number } = useParams({ from: '/$org/settings/notifications/$number' })
  if (!/^[1-9]\d{0,8}$/.test(number)) return <Empty title="There is no such notification" />
  return <LoadedNotification key={`${org} ${number}`} org={org} number={Number(number)} />
}

function LoadedNotification({ org, number }: { org: string; number: number }) {
  const notification = useQuery(notificationQuery(org, number))
  return (
    <Stack>
      <PagePath org={org} above="Notifications" here={notification.data?.name ?? String(number)} />
      <Title order={1}>Change a notification</Title>
      {notification.isPending ? (
        <Loading />
      ) : notification.error ? (
        <Failed error={notification.error} />
      ) : (
        <ChangeNotification org={org} notification={notification.data} />
      )}
    </Stack>
  )
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
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: save,
    // The draft may have a secret: it goes with the form.
    gcTime: 0,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['notifications', org] })
      await navigate({ to: '/$org/settings/notifications', params: { org } })
    },
  })
}
