// The navigation between the pages about people. These are links, because each page has its own address.
import { Group } from '@mantine/core'
import { useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import classes from './people-tabs.module.css'
import { peopleTexts as texts } from './texts.ts'

const PAGES = [
  { label: texts.tabs.members, to: '/$org/settings/members' },
  { label: texts.tabs.auditLog, to: '/$org/settings/members/audit-log' },
  { label: texts.tabs.auditEvents, to: '/$org/settings/audit-events' },
] as const

/** Only admins and auditors see the two logs. */
export function PeopleTabs({ org }: { org: string }) {
  const { canSee } = useRole(org)
  if (!canSee('admin')) return null
  return (
    <Group component="nav" aria-label={texts.tabs.label} gap="lg">
      {PAGES.map(({ label, to }) => (
        <PageLink
          key={to}
          className={classes.page}
          to={to}
          params={{ org }}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {label}
        </PageLink>
      ))}
    </Group>
  )
}
