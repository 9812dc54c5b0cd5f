// The frame around every page: header, organization switcher, search, account and navigation.

import { Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { sessionQuery } from '../api.ts'
import { SearchBox } from '../pages/search/search-box.tsx'
import { ErrorAlert, Loading } from '../ui/states.tsx'
import { Account } from './account.tsx'
import { Brand } from './brand.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Navigation } from './navigation.tsx'
import { NeedsSso } from './needs-sso.tsx'
import { OrgSwitcher } from './org-switcher.tsx'
import { PageTitle } from './page-title.tsx'
import { PrintHead } from './print-head.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { SignInRedirect } from './sign-in-redirect.tsx'
import { SignedOutBanner } from './signed-out-banner.tsx'
import { shellTexts as texts } from './texts.ts'
import { useLive } from './use-live.ts'
import { useOpenPages } from './use-open-pages.ts'

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure()
  const { org } = useParams({ strict: false })
  const session = useQuery(sessionQuery)
  const isMember = session.data?.orgs.some(({ name, needs_sso }) => name === org && !needs_sso) ?? false
  const isReady = useLive(isMember ? org : undefined)
  if (session.isPending)
    return (
      <>
        <ConnectionBanner />
        <Loading />
      </>
    )
  if (session.error) return <ErrorAlert error={session.error} />
  if (session.data === null) return <SignInRedirect />
  const { user, orgs, csrf_token } = session.data
  const needsSso = orgs.some(({ name, needs_sso }) => name === org && needs_sso)
  return (
    <div className="app-frame">
      <a className="skip-link" href="#content">
        {texts.skipToContent}
      </a>
      <PageTitle />
      <header className="app-header">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={texts.header.navigation}
            />
            <Brand />
            <OrgSwitcher org={org} orgs={orgs.map(({ name }) => name)} />
          </Group>
          <Group wrap="nowrap" gap="xs">
            {org && <OrgTools org={org} />}
            <Account user={user} org={org} csrf_token={csrf_token} />
          </Group>
        </Group>
      </header>
      {org !== undefined && <Navigation org={org} isOpened={opened} onGo={close} />}
      <main className="app-main" id="content" tabIndex={-1}>
        <PrintHead />
        <ConnectionBanner />
        <SignedOutBanner />
        <div className="page">
          {org !== undefined && needsSso ? <NeedsSso org={org} /> : isReady ? <Outlet /> : <Loading />}
        </div>
      </main>
    </div>
  )
}

function OrgTools({ org }: { org: string }) {
  const pages = useOpenPages(org)
  return (
    <>
      <SearchBox org={org} pages={pages} />
      <Shortcuts org={org} />
    </>
  )
}
