// The root route. It is separate from the router so that the routes of each resource can attach to it.
import { createRootRoute } from '@tanstack/react-router'
import { Shell } from './shell/shell.tsx'
import { appTexts as texts } from './texts.ts'
import { Notice } from './ui/notice.tsx'
import { Empty } from './ui/states.tsx'

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Shell />
      <Notice />
    </>
  ),
  notFoundComponent: () => <Empty title={texts.notFound} />,
})
