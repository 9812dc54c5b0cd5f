// The ways between the pages of people: links, because each has an address of its own.
import { Group } from '@mantine/core'
import { useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import classes from './people-tabs.module.css'

const PAGES = [
  { label: 'Members', to: '/$org/settings/members' },
  { label: 'Membership log', to: '/$org/settings/members/audit-log' },
  { label: 'All events', to: '/$org/settings/audit-events' },
] as const

/** Only admins see the two logs. */
export function PeopleTabs({ org }: { org: string }) {
  const { isAdmin } = useRole(org)
  if (!isAdmin) return null
  return (
    <Group component="nav" aria-label="People" gap="lg">
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
