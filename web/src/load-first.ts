// The loader of a route: sends the page's requests before the page appears, and also when somebody points at
// a link to it. The page uses the same queries, so it finds the responses, and shows errors itself.
import { queries, sessionQuery } from './api.ts'
import { loadLater } from './live/load-later.ts'
import { live } from './live/start.ts'
import { pause } from './live/waits.ts'
import type { LoaderName } from './loaders.ts'
import type { Load } from './page-place.ts'
import type { Role } from './parts/use-role.ts'

/** After this time, a page appears even without its responses, and shows what is still loading. */
const WAIT_MS = 400
/** The same limit for the stream of changes: see shell/use-live.ts. */
export const FOLLOW_WAIT_MS = 1_000

type PageName = LoaderName | 'overview'

/** The router passes this to a loader. */
interface LoaderContext {
  params: object
  location: { search: object }
  cause: 'preload' | 'enter' | 'stay'
  route: { options: { validateSearch?: unknown } }
}

export async function loadFirst(name: PageName, context: LoaderContext): Promise<void> {
  const { cause } = context
  const params = context.params as Readonly<Record<string, string>>
  const { org } = params
  // The page is open: it sends the requests for a changed search itself.
  if (org === undefined || cause === 'stay') return
  const session = await queries.ensureQueryData(sessionQuery).catch(() => null)
  const membership = session?.orgs.find(each => each.name === org && !each.needs_sso)
  if (!membership || !(await isFollowed(org, cause))) return
  const load = await findLoader(name)
  const place = { org, role: membership.role as Role, params, search: readSearch(context) }
  await Promise.race([Promise.allSettled(load(place)), pause(WAIT_MS)])
}

async function findLoader(name: PageName): Promise<Load> {
  if (name === 'overview') return (await loadLater(() => import('./pages/overview/loader.ts'))).loadOverview
  return (await loadLater(() => import('./loaders.ts'))).LOADERS[name]
}

/**
 * Responses from before the stream began would be refetched. The stream of another page continues until that
 * page is left.
 */
async function isFollowed(org: string, cause: LoaderContext['cause']): Promise<boolean> {
  const followed = live.getOrg()
  if (followed !== org && (followed !== undefined || cause === 'preload')) return false
  await Promise.race([live.follow(org), pause(FOLLOW_WAIT_MS)])
  return true
}

/** As the route parses it, so that the page sends the same requests. */
function readSearch({ route, location }: LoaderContext): object {
  const { validateSearch } = route.options
  return typeof validateSearch === 'function' ? (validateSearch(location.search) as object) : {}
}
