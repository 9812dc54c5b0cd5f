// Where a page of the settings is: the way back up.
import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'

const ABOVE = {
  'Service accounts': '/$org/settings/service-accounts',
  Notifications: '/$org/settings/notifications',
} as const

interface PagePathProps {
  org: string
  above?: keyof typeof ABOVE
  here: string
}

export function PagePath({ org, above, here }: PagePathProps) {
  return (
    <nav aria-label="Where this page is">
      <Breadcrumbs>
        <Anchor renderRoot={props => <Link to="/$org/settings" params={{ org }} {...props} />}>
          Settings
        </Anchor>
        {above && (
          <Anchor renderRoot={props => <Link to={ABOVE[above]} params={{ org }} {...props} />}>
            {above}
          </Anchor>
        )}
        <Text aria-current="page" className="long-name">
          {here}
        </Text>
      </Breadcrumbs>
    </nav>
  )
}
