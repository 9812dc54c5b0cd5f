// The root of the tree of pages. Apart from the router, so that the pages of a resource can hang their routes on it.
import { createRootRoute } from '@tanstack/react-router'
import { Shell } from './shell/shell.tsx'
import { Notice } from './ui/notice.tsx'
import { Empty } from './ui/states.tsx'

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Shell />
      <Notice />
    </>
  ),
  notFoundComponent: () => <Empty title="There is nothing at this address" />,
})
