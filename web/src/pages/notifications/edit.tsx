// The pages that create and edit a notification.
import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ForRole } from '../../parts/for-role.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty, ErrorAlert, Loading } from '../../ui/states.tsx'
import { createNotification, type NotificationPlace, replaceNotification } from './calls.ts'
import type { Notification } from './codes.ts'
import { createDraft, toDraft, toNotificationInput } from './draft.ts'
import { NotificationForm } from './form.tsx'
import { notificationQuery } from './queries.ts'
import { notificationsTexts as texts } from './texts.ts'

export function NewNotificationPage() {
  const { org } = useParams({ from: '/$org/settings/notifications/new' })
  const [initial] = useState(createDraft)
  return (
    <Stack>
      <NotificationCrumbs org={org} here={texts.form.newCrumb} />
      <Title order={1}>{texts.form.newTitle}</Title>
      <ForRole org={org} minRole="member" what={texts.form.what}>
        <NotificationForm
          org={org}
          initial={initial}
          isNew
          action={texts.form.create}
          send={draft => createNotification(org, draft.about, toNotificationInput(draft))}
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
      <Title order={1}>{texts.form.editTitle}</Title>
      <ForRole org={org} minRole="member" what={texts.form.what}>
        {isNumber ? (
          <LoadedNotification
            key={`${org} ${about} ${number}`}
            place={{ org, about, number: Number(number) }}
          />
        ) : (
          <Empty title={texts.form.noSuchNotification}>{texts.form.noSuchNotificationHelp}</Empty>
        )}
      </ForRole>
    </Stack>
  )
}

function LoadedNotification({ place }: { place: NotificationPlace }) {
  const notification = useQuery(notificationQuery(place))
  if (notification.isPending) return <Loading />
  if (notification.error) return <ErrorAlert error={notification.error} />
  return <NotificationEditor place={place} notification={notification.data} />
}

interface NotificationEditorProps {
  place: NotificationPlace
  notification: Notification
}

function NotificationEditor({ place, notification }: NotificationEditorProps) {
  const [initial] = useState(() => toDraft(notification))
  return (
    <NotificationForm
      org={place.org}
      initial={initial}
      isNew={false}
      action={texts.form.save}
      send={draft => replaceNotification(place, toNotificationInput(draft))}
    />
  )
}

function NotificationCrumbs({ org, here }: { org: string; here: string }) {
  return (
    <Crumbs here={here}>
      <PageLink to="/$org/settings" params={{ org }}>
        {texts.crumbs.settings}
      </PageLink>
      <PageLink to="/$org/settings/notifications" params={{ org }}>
        {texts.crumbs.notifications}
      </PageLink>
    </Crumbs>
  )
}
