// The routes of members, the membership log and the event log.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { loadLater } from '../../live/load-later.ts'
import { loadFirst } from '../../load-first.ts'
import { rootRoute } from '../../root-route.tsx'
import { readAuditEventsSearch, readAuditLogSearch, readMembersSearch } from './search-params.ts'

const members = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/members',
  validateSearch: readMembersSearch,
  loader: context => loadFirst('members', context),
  component: lazyRouteComponent(() => loadLater(() => import('./members.tsx')), 'MembersPage'),
})

const auditLog = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/members/audit-log',
  validateSearch: readAuditLogSearch,
  loader: context => loadFirst('auditLog', context),
  component: lazyRouteComponent(() => loadLater(() => import('./audit-log.tsx')), 'AuditLogPage'),
})

const auditEvents = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/audit-events',
  validateSearch: readAuditEventsSearch,
  loader: context => loadFirst('auditEvents', context),
  component: lazyRouteComponent(() => loadLater(() => import('./audit-events.tsx')), 'AuditEventsPage'),
})

const auditEvent = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$org/settings/audit-events/$event',
  component: lazyRouteComponent(() => loadLater(() => import('./audit-event.tsx')), 'AuditEventPage'),
})

export const peopleRoutes = [members, auditLog, auditEvents, auditEvent] as const
