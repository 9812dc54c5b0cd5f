// The navigation bar.
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRole } from '../parts/use-role.ts'
import { DAILY, getMinRole, isExact, type NavigationLink, ORGANIZATION } from './navigation-links.ts'
import { shellTexts as texts } from './texts.ts'

interface NavigationProps {
  org: string
  /** Whether a phone shows it. Wider windows always do. */
  isOpened: boolean
  onGo: () => void
}

export function Navigation({ org, isOpened, onGo }: NavigationProps) {
  return (
    <nav className="app-navigation" data-opened={isOpened || undefined} aria-label={texts.navigation.label}>
      <NavigationLinks org={org} links={DAILY} onGo={onGo} />
      <Text size="xs" c="dimmed" fw={600} px="sm" pt="md" pb={4}>
        {texts.navigation.organization}
      </Text>
      <NavigationLinks org={org} links={ORGANIZATION} onGo={onGo} />
    </nav>
  )
}

interface NavigationLinksProps {
  org: string
  links: readonly NavigationLink[]
  onGo: () => void
}

function NavigationLinks({ org, links, onGo }: NavigationLinksProps) {
  const { canSee } = useRole(org)
  const open = links.filter(link => canSee(getMinRole(link)))
  return open.map(({ label, to, icon: Icon }) => (
    <Link
      key={to}
      to={to}
      params={{ org }}
      className="navigation-link mantine-focus-auto"
      activeOptions={{ exact: isExact(to), includeSearch: false }}
      activeProps={{ 'data-active': true, 'aria-current': 'page' }}
      onClick={onGo}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      {label}
    </Link>
  ))
}
