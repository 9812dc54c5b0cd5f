// The menu below one's name: profile, colours, the API, and the way out. It opens as soon as it is there.
import { Menu, useMantineColorScheme } from '@mantine/core'
import { IconBook, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { AccountButton, type AccountProps } from './account.tsx'

export function AccountMenu({ user, org, csrf_token }: AccountProps) {
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>
        <AccountButton user={user} />
      </Menu.Target>
      <Menu.Dropdown>
        {org !== undefined && (
          <Menu.Item
            leftSection={<IconUser size={16} aria-hidden />}
            renderRoot={props => <Link to="/$org/profile" params={{ org }} {...props} />}
          >
            Your profile
          </Menu.Item>
        )}
        <Colours />
        <Menu.Item component="a" href="/api/v2/doc/" leftSection={<IconBook size={16} aria-hidden />}>
          The API
        </Menu.Item>
        <Menu.Divider />
        <form method="post" action="/auth/sign-out">
          <input type="hidden" name="csrf_token" value={csrf_token} />
          {/* A menu that closes takes the form away before it is sent. */}
          <Menu.Item
            type="submit"
            closeMenuOnClick={false}
            leftSection={<IconLogout size={16} aria-hidden />}
          >
            Sign out
          </Menu.Item>
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}

/** As the system has it, until somebody wants it otherwise. */
function Colours() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Label>Colours</Menu.Label>
      {colorScheme !== 'light' && (
        <Menu.Item leftSection={<IconSun size={16} aria-hidden />} onClick={() => setColorScheme('light')}>
          Light
        </Menu.Item>
      )}
      {colorScheme !== 'dark' && (
        <Menu.Item leftSection={<IconMoon size={16} aria-hidden />} onClick={() => setColorScheme('dark')}>
          Dark
        </Menu.Item>
      )}
      {colorScheme !== 'auto' && (
        <Menu.Item onClick={() => setColorScheme('auto')}>As the system has them</Menu.Item>
      )}
      <Menu.Divider />
    </>
  )
}
