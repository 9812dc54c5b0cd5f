// The public badges of one environment or flow: pictures of its state for pages outside of the service. For admins.
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { DataTable } from '../ui/data-table.tsx'
import type { Column } from '../ui/sort-rows.ts'
import { ErrorAlert, Loading } from '../ui/states.tsx'
import { useChange } from '../ui/use-change.ts'
import { type BadgeSubject, CreateBadge } from './create-badge.tsx'
import type { Schemas } from './schemas.ts'
import { publicBadgesTexts as texts } from './texts-public-badges.ts'
import { RelativeTime } from './time.tsx'
import { useRole } from './use-role.ts'

type Badge = Schemas['Badge']

const badgesQuery = (org: string) =>
  queryOptions({
    queryKey: ['badges', org],
    queryFn: () => unwrap(api.GET('/badge-tokens/{org}', { params: { path: { org } } })),
  })

export function PublicBadges({ org, subject }: { org: string; subject: BadgeSubject }) {
  const { isAdmin } = useRole(org)
  return isAdmin ? <BadgesSection org={org} subject={subject} /> : null
}

function BadgesSection({ org, subject }: { org: string; subject: BadgeSubject }) {
  const badges = useQuery(badgesQuery(org))
  const [opened, { open, close }] = useDisclosure()
  const own = badges.data?.filter(badge => isAbout(badge, subject)) ?? []
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h3">
        {texts.title}
      </Title>
      <Text size="sm">{texts.help}</Text>
      {badges.isPending ? (
        <Loading rows={1} />
      ) : badges.error ? (
        <ErrorAlert error={badges.error} />
      ) : own.length === 0 ? (
        <Text size="sm">{texts.empty}</Text>
      ) : (
        <DataTable caption={texts.table} columns={listColumns(org)} rows={own} getKey={({ id }) => id} />
      )}
      <Group>
        <Button variant="default" onClick={open}>
          {texts.create}
        </Button>
      </Group>
      {opened && <CreateBadge org={org} subject={subject} onClose={close} />}
    </Stack>
  )
}

function isAbout(badge: Badge, subject: BadgeSubject): boolean {
  return 'flow_name' in subject
    ? badge.flow_name === subject.flow_name
    : badge.environment_name === subject.environment_name
}

const getLabel = ({ label }: Badge) => label ?? texts.ownName

const describeSubject = ({ fingerprint }: Badge) =>
  fingerprint === null ? texts.state : texts.artifact(fingerprint.slice(0, 12))

const listColumns = (org: string): Column<Badge>[] => [
  { title: texts.label, sortBy: getLabel, render: getLabel },
  { title: texts.shows, sortBy: describeSubject, render: describeSubject },
  { title: texts.prefix, render: ({ hint }) => <span className="fingerprint">{hint}…</span> },
  {
    title: texts.created,
    first: 'descending',
    sortBy: ({ created_at }) => created_at,
    render: ({ created_at, created_by }) => (
      <>
        <RelativeTime at={created_at} /> {texts.createdBy(created_by)}
      </>
    ),
  },
  {
    title: texts.actions,
    render: badge => (
      <RevokeBadge org={org} badge_id={badge.id} about={texts.named(getLabel(badge), badge.hint)} />
    ),
  },
]

function RevokeBadge({ org, badge_id, about }: { org: string; badge_id: string; about: string }) {
  const revoke = useChange(
    () => unwrap(api.DELETE('/badge-tokens/{org}/{badge_id}', { params: { path: { org, badge_id } } })),
    { notice: texts.revoked },
  )
  return (
    <ConfirmButton
      label={texts.revoke}
      about={about}
      question={texts.revokeQuestion}
      change={revoke}
      input={undefined}
    />
  )
}
