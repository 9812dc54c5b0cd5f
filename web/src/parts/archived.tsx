// What is archived is hidden, never lost: how pages say that something is, and bring it back.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { api, unwrap } from '../api.ts'
import { formatCount, pluralize } from '../ui/format-count.ts'
import { PageLink } from '../ui/page-link.tsx'
import { ErrorAlert } from '../ui/states.tsx'
import text_styles from '../ui/text.module.css'
import { useChange } from '../ui/use-change.ts'
import { type Role, useRole } from './use-role.ts'

interface Kind {
  what: string
  /** What that means while it is so. */
  meaning: string
  /** The lowest role that may bring it back. */
  minRole: Role
  unarchive: (org: string, name: string) => Promise<unknown>
}

const KINDS = {
  flow: {
    what: 'flow',
    meaning: 'Nothing can be reported to it. What was reported is kept.',
    minRole: 'member',
    unarchive: (org, flow_name) =>
      unwrap(api.PUT('/flows/{org}/{flow_name}/unarchive', { params: { path: { org, flow_name } } })),
  },
  environment: {
    what: 'environment',
    meaning: 'Nothing can be reported to it, and nobody is told about it. Its history is kept.',
    minRole: 'member',
    unarchive: (org, env_name) =>
      unwrap(api.PUT('/environments/{org}/{env_name}/unarchive', { params: { path: { org, env_name } } })),
  },
  policy: {
    what: 'policy',
    meaning: 'It cannot be attached. Its versions are kept.',
    minRole: 'admin',
    unarchive: (org, name) =>
      unwrap(api.PUT('/policies/{org}/{name}/unarchive', { params: { path: { org, name } } })),
  },
  type: {
    what: 'type',
    meaning: 'Nothing new can be reported with it. What was reported is kept.',
    minRole: 'member',
    unarchive: (org, name) =>
      unwrap(
        api.PUT('/custom-attestation-types/{org}/{name}/unarchive', { params: { path: { org, name } } }),
      ),
  },
} as const satisfies Record<string, Kind>

interface NoticeProps {
  org: string
  kind: keyof typeof KINDS
  /** Of the flow, on the pages of its trails and artifacts. */
  name: string
}

/** On the page of what is archived, or of something in it. */
export function ArchivedNotice({ org, kind, name }: NoticeProps) {
  const { what, meaning, minRole, unarchive } = KINDS[kind]
  const { hasRole } = useRole(org)
  const restore = useChange(() => unarchive(org, name), { notice: `${name} is unarchived` })
  return (
    <Alert
      color="gray"
      role="group"
      title={`This ${what} is archived`}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <Stack gap="xs">
        <Text size="sm">{meaning}</Text>
        {hasRole(minRole) && (
          <Group>
            <Button
              size="compact-sm"
              variant="default"
              loading={restore.isPending}
              onClick={() => restore.mutate(undefined)}
            >
              Unarchive
            </Button>
          </Group>
        )}
        {restore.error && <ErrorAlert error={restore.error} />}
      </Stack>
    </Alert>
  )
}

export function ArchivedBadge() {
  return (
    <Badge color="gray" variant="outline" c="var(--mantine-color-text)" miw="max-content">
      ARCHIVED
    </Badge>
  )
}

interface SwitchProps {
  list: '/$org/flows' | '/$org/environments' | '/$org/policies' | '/$org/attestation-types'
  org: string
  /** What is listed, one of it. */
  noun: string
  /** The filters of the list, which stay; `archived` where it shows the archived ones. */
  search: { archived?: true; page?: number }
  /** How many fit the filters and are left out because they are archived. */
  archived_count: number
}

/** From a list to the archived ones that it leaves out, and back. Nothing where there are none. */
export function ArchivedSwitch({ list, org, noun, search, archived_count }: SwitchProps) {
  const { archived, page: _, ...filters } = search
  if (archived)
    return (
      <Text size="sm">
        <PageLink to={list} params={{ org }} search={filters}>
          Back to the {pluralize(noun)} that are not archived
        </PageLink>
      </Text>
    )
  if (archived_count === 0) return null
  return (
    <Text size="sm">
      <PageLink to={list} params={{ org }} search={{ ...filters, archived: true }}>
        {formatCount(archived_count, `archived ${noun}`)}
      </PageLink>
    </Text>
  )
}

/** The heading of a list, which says when it is of the archived ones. */
export function buildListTitle(title: string, archived: true | undefined): string {
  return archived ? `Archived ${title.toLowerCase()}` : title
}
