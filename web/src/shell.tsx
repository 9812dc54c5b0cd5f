// The frame around every page: navigation, the org one is in, who one is.
import { AppShell, Burger, Button, Group, Menu, NavLink, Select, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { sessionQuery, signInAddress } from './api.ts'
import { SearchBox } from './pages/search/search-box.tsx'
import { Failed, Loading } from './ui/states.tsx'

const PLACES = [
  { label: 'Overview', to: '/$org' },
  { label: 'Environments', to: '/$org/environments' },
  { label: 'Flows', to: '/$org/flows' },
  { label: 'Attestations', to: '/$org/attestations' },
  { label: 'Repos', to: '/$org/repos' },
  { label: 'Policies', to: '/$org/policies' },
  { label: 'Controls', to: '/$org/controls' },
  { label: 'Members', to: '/$org/settings/members' },
  { label: 'Events', to: '/$org/settings/audit-events' },
  { label: 'Notifications', to: '/$org/settings/notifications' },
  { label: 'Service accounts', to: '/$org/settings/service-accounts' },
  { label: 'Settings', to: '/$org/settings' },
  { label: 'Your profile', to: '/$org/profile' },
] as const

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure()
  const { org } = useParams({ strict: false })
  const session = useQuery(sessionQuery)
  if (session.isPending) return <Loading />
  if (session.error) return <Failed error={session.error} />
  if (session.data === null) {
    window.location.assign(signInAddress(window.location.pathname + window.location.search))
    return <Loading />
  }
  const { user, orgs } = session.data
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Text fw={700} visibleFrom="xs">
              Waybill
            </Text>
            <OrgSwitcher org={org} orgs={orgs.map(({ name }) => name)} />
          </Group>
          <Group wrap="nowrap" gap="xs">
            {org && <SearchBox org={org} />}
            <Account user={user} csrf_token={session.data.csrf_token} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <nav aria-label="Pages">
          {org &&
            PLACES.map(({ label, to }) => (
              <NavLink
                key={to}
                label={label}
                onClick={close}
                renderRoot={props => (
                  <Link
                    to={to}
                    params={{ org }}
                    activeOptions={{ exact: to === '/$org' || to === '/$org/settings' }}
                    activeProps={{ 'data-active': true, 'aria-current': 'page' }}
                    {...props}
                  />
                )}
              />
            ))}
        </nav>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function OrgSwitcher({ org, orgs }: { org: string | undefined; orgs: string[] }) {
  const navigate = useNavigate()
  return (
    <Select
      aria-label="Organization"
      placeholder="Organization"
      data={orgs}
      value={org ?? null}
      searchable
      w={{ base: 130, xs: 200 }}
      onChange={chosen => {
        if (chosen !== null) void navigate({ to: '/$org', params: { org: chosen } })
      }}
    />
  )
}

function Account({ user, csrf_token }: { user: string; csrf_token: string }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="subtle" color="gray">
          {user}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href="/api/v2/doc/">
          API
        </Menu.Item>
        <form method="post" action="/auth/sign-out">
          <input type="hidden" name="csrf_token" value={csrf_token} />
          <Menu.Item type="submit">Sign out</Menu.Item>
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}
