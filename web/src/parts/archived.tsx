// Archived resources: the notice that something is archived, the way to unarchive it, and the link to archived lists.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { api, unwrap } from '../api.ts'
import { formatCount, pluralize } from '../ui/format-count.ts'
import { PageLink } from '../ui/page-link.tsx'
import { ErrorAlert } from '../ui/states.tsx'
import text_styles from '../ui/text.module.css'
import { useChange } from '../ui/use-change.ts'
import { partsTexts as texts } from './texts.ts'
import { type Role, useRole } from './use-role.ts'

interface Kind {
  /** What archiving means for this kind. */
  meaning: string
  /** The lowest role that can unarchive it. */
  minRole: Role
  unarchive: (org: string, name: string) => Promise<unknown>
}

const KINDS = {
  flow: {
    meaning: texts.archived.flow,
    minRole: 'member',
    unarchive: (org, flow_name) =>
      unwrap(api.PUT('/flows/{org}/{flow_name}/unarchive', { params: { path: { org, flow_name } } })),
  },
  environment: {
    meaning: texts.archived.environment,
    minRole: 'member',
    unarchive: (org, env_name) =>
      unwrap(api.PUT('/environments/{org}/{env_name}/unarchive', { params: { path: { org, env_name } } })),
  },
  policy: {
    meaning: texts.archived.policy,
    minRole: 'admin',
    unarchive: (org, name) =>
      unwrap(api.PUT('/policies/{org}/{name}/unarchive', { params: { path: { org, name } } })),
  },
  type: {
    meaning: texts.archived.type,
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
  /** On the pages of trails and artifacts, this is the flow's name. */
  name: string
}

/** Shown on the page of an archived resource and of anything inside it. */
export function ArchivedNotice({ org, kind, name }: NoticeProps) {
  const { meaning, minRole, unarchive } = KINDS[kind]
  const { hasRole } = useRole(org)
  const restore = useChange(() => unarchive(org, name), { notice: texts.archived.unarchived(name) })
  return (
    <Alert
      color="gray"
      role="group"
      title={texts.archived.title(kind)}
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
              {texts.archived.unarchive}
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
      {texts.archived.badge}
    </Badge>
  )
}

interface SwitchProps {
  list: '/$org/flows' | '/$org/environments' | '/$org/policies' | '/$org/attestation-types'
  org: string
  /** The singular noun for the items. */
  noun: string
  /** The filters of the list, which are kept; `archived` if it shows archived items. */
  search: { archived?: true; page?: number }
  /** How many archived items match the filters. */
  archived_count: number
}

/** Links a list to its archived items and back. Renders nothing if there are none. */
export function ArchivedSwitch({ list, org, noun, search, archived_count }: SwitchProps) {
  const { archived, page: _, ...filters } = search
  if (archived)
    return (
      <Text size="sm">
        <PageLink to={list} params={{ org }} search={filters}>
          {texts.archived.back(pluralize(noun))}
        </PageLink>
      </Text>
    )
  if (archived_count === 0) return null
  return (
    <Text size="sm">
      <PageLink to={list} params={{ org }} search={{ ...filters, archived: true }}>
        {formatCount(archived_count, texts.archived.noun(noun))}
      </PageLink>
    </Text>
  )
}

/** The heading of a list, which shows whether it lists archived items. */
export function buildListTitle(title: string, archived: true | undefined): string {
  return archived ? texts.archived.listTitle(title) : title
}
