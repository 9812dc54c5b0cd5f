// The account menu: profile, theme, API reference and sign-out. It loads on demand, already open.

import { Menu, useMantineColorScheme } from '@mantine/core'
import {
  IconBaselineDensityMedium,
  IconBook,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { BASE_PATH } from '../base-path.ts'
import { getShownDensity, keepDensity } from '../ui/preferences.ts'
import { AccountButton, type AccountProps } from './account-button.tsx'
import { shellTexts as texts } from './texts.ts'

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
            {texts.account.profile}
          </Menu.Item>
        )}
        <ThemeItems />
        <DensityItem />
        <Menu.Item
          component="a"
          href={`${BASE_PATH}/api/v2/doc/`}
          leftSection={<IconBook size={16} aria-hidden />}
        >
          {texts.account.api}
        </Menu.Item>
        <Menu.Divider />
        <form method="post" action={`${BASE_PATH}/auth/sign-out`}>
          <input type="hidden" name="csrf_token" value={csrf_token} />
          {/* Closing the menu would remove the form before it is submitted. */}
          <Menu.Item
            type="submit"
            closeMenuOnClick={false}
            leftSection={<IconLogout size={16} aria-hidden />}
          >
            {texts.account.signOut}
          </Menu.Item>
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The theme follows the system until somebody chooses one. */
function ThemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Label>{texts.account.theme}</Menu.Label>
      {colorScheme !== 'light' && (
        <Menu.Item leftSection={<IconSun size={16} aria-hidden />} onClick={() => setColorScheme('light')}>
          {texts.account.light}
        </Menu.Item>
      )}
      {colorScheme !== 'dark' && (
        <Menu.Item leftSection={<IconMoon size={16} aria-hidden />} onClick={() => setColorScheme('dark')}>
          {texts.account.dark}
        </Menu.Item>
      )}
      {colorScheme !== 'auto' && (
        <Menu.Item onClick={() => setColorScheme('auto')}>{texts.account.matchSystem}</Menu.Item>
      )}
      <Menu.Divider />
    </>
  )
}

/** The density of rows. Styles follow immediately; nothing is rendered again. */
function DensityItem() {
  const other = getShownDensity() === 'compact' ? 'comfortable' : 'compact'
  return (
    <>
      <Menu.Label>{texts.account.density}</Menu.Label>
      <Menu.Item
        leftSection={<IconBaselineDensityMedium size={16} aria-hidden />}
        onClick={() => keepDensity(other)}
      >
        {texts.account[other]}
      </Menu.Item>
      <Menu.Divider />
    </>
  )
}
