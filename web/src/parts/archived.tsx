// What is archived is hidden, never lost: how pages say that something is, and bring it back.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { answered, api } from '../api.ts'
import { counted, plural } from '../ui/counted.ts'
import { PageLink } from '../ui/page-link.tsx'
import { Failed } from '../ui/states.tsx'
import text_styles from '../ui/text.module.css'
import { useChange } from '../ui/use-change.ts'
import { type Role, useRole } from './use-role.ts'

interface Kind {
  what: string
  /** What that means while it is so. */
  meaning: string
  /** The least role that may bring it back. */
  least: Role
  unarchive: (org: string, name: string) => Promise<unknown>
}

const KINDS = {
  flow: {
    what: 'flow',
    meaning: 'Nothing can be reported to it. What was reported is kept.',
    least: 'member',
    unarchive: (org, flow_name) =>
      answered(api.PUT('/flows/{org}/{flow_name}/unarchive', { params: { path: { org, flow_name } } })),
  },
  environment: {
    what: 'environment',
    meaning: 'Nothing can be reported to it, and nobody is told about it. Its history is kept.',
    least: 'member',
    unarchive: (org, env_name) =>
      answered(api.PUT('/environments/{org}/{env_name}/unarchive', { params: { path: { org, env_name } } })),
  },
  policy: {
    what: 'policy',
    meaning: 'It cannot be attached. Its versions are kept.',
    least: 'admin',
    unarchive: (org, name) =>
      answered(api.PUT('/policies/{org}/{name}/unarchive', { params: { path: { org, name } } })),
  },
  type: {
    what: 'type',
    meaning: 'Nothing new can be reported with it. What was reported is kept.',
    least: 'member',
    unarchive: (org, name) =>
      answered(
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
  const { what, meaning, least, unarchive } = KINDS[kind]
  const { reaches } = useRole(org)
  const bringBack = useChange(() => unarchive(org, name), { said: `${name} is unarchived` })
  return (
    <Alert
      color="gray"
      role="group"
      title={`This ${what} is archived`}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <Stack gap="xs">
        <Text size="sm">{meaning}</Text>
        {reaches(least) && (
          <Group>
            <Button
              size="compact-sm"
              variant="default"
              loading={bringBack.isPending}
              onClick={() => bringBack.mutate(undefined)}
            >
              Unarchive
            </Button>
          </Group>
        )}
        {bringBack.error && <Failed error={bringBack.error} />}
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
          Back to the {plural(noun)} that are not archived
        </PageLink>
      </Text>
    )
  if (archived_count === 0) return null
  return (
    <Text size="sm">
      <PageLink to={list} params={{ org }} search={{ ...filters, archived: true }}>
        {counted(archived_count, `archived ${noun}`)}
      </PageLink>
    </Text>
  )
}

/** The heading of a list, which says when it is of the archived ones. */
export function listTitle(title: string, archived: true | undefined): string {
  return archived ? `Archived ${title.toLowerCase()}` : title
}
