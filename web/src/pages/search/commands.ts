// The search entries besides results: the pages of the organization, and what the user's role can create.
import type { Role } from '../../parts/use-role.ts'
import type { Hit, HitGroup } from './hits.ts'
import { searchTexts as texts } from './texts.ts'

export interface PageEntry {
  label: string
  to: string
}

interface Action {
  label: string
  /** The lowest role that can do it. */
  minRole: Role
  to: string
}

const ACTIONS: readonly Action[] = [
  { label: texts.actions.flow, minRole: 'member', to: '/$org/new-flow' },
  { label: texts.actions.environment, minRole: 'snapshotter', to: '/$org/new-environment' },
  { label: texts.actions.policy, minRole: 'member', to: '/$org/new-policy' },
  { label: texts.actions.type, minRole: 'member', to: '/$org/new-attestation-type' },
  { label: texts.actions.notification, minRole: 'member', to: '/$org/settings/notifications/new' },
  { label: texts.actions.control, minRole: 'admin', to: '/$org/new-control' },
  { label: texts.actions.importControls, minRole: 'admin', to: '/$org/import-controls' },
  { label: texts.actions.invite, minRole: 'admin', to: '/$org/settings/members' },
  { label: texts.actions.key, minRole: 'reader', to: '/$org/profile' },
]

/** The entries whose label contains every word of the text; all of them without a text. */
export function findCommands(
  org: string,
  text: string,
  { pages, hasRole }: { pages: readonly PageEntry[]; hasRole(minRole: Role): boolean },
): HitGroup[] {
  const words = text.toLowerCase().split(/\s+/)
  const toHits = (entries: readonly PageEntry[]): Hit[] =>
    entries
      .filter(({ label }) => words.every(word => label.toLowerCase().includes(word)))
      .map(({ label, to }) => ({ key: label, name: label, detail: '', place: { to, params: { org } } }))
  const groups = [
    { title: texts.kinds.actions, hits: toHits(ACTIONS.filter(({ minRole }) => hasRole(minRole))) },
    { title: texts.kinds.pages, hits: toHits(pages) },
  ]
  return groups.filter(({ hits }) => hits.length > 0)
}
