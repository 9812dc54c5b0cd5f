// The links of the navigation bar: daily work first, then the organization. `key` opens a page after `g`.
import {
  IconActivity,
  IconBell,
  IconBox,
  IconChartBar,
  IconChecklist,
  IconFileCertificate,
  IconFingerprint,
  IconGitBranch,
  IconHome,
  IconRobot,
  IconRoute,
  IconSettings,
  IconShieldCheck,
  IconTable,
  IconUserCheck,
  IconUsers,
} from '@tabler/icons-react'
import { shellTexts as texts } from './texts.ts'

export const DAILY = [
  { label: texts.navigation.overview, key: 'o', to: '/$org', icon: IconHome },
  { label: texts.navigation.environments, key: 'e', to: '/$org/environments', icon: IconBox },
  { label: texts.navigation.running, key: 'r', to: '/$org/running', icon: IconTable },
  { label: texts.navigation.flows, key: 'f', to: '/$org/flows', icon: IconRoute },
  { label: texts.navigation.trends, key: 't', to: '/$org/trends', icon: IconChartBar },
  { label: texts.navigation.attestations, key: 'a', to: '/$org/attestations', icon: IconFileCertificate },
  { label: texts.navigation.repos, key: 'g', to: '/$org/repos', icon: IconGitBranch },
  { label: texts.navigation.policies, key: 'p', to: '/$org/policies', icon: IconShieldCheck },
  { label: texts.navigation.controls, key: 'c', to: '/$org/controls', icon: IconChecklist },
] as const

export const ORGANIZATION = [
  { label: texts.navigation.members, key: 'm', to: '/$org/settings/members', icon: IconUsers },
  {
    label: texts.navigation.serviceAccounts,
    key: 'k',
    to: '/$org/settings/service-accounts',
    icon: IconRobot,
    minRole: 'snapshotter',
  },
  { label: texts.navigation.waitingDecisions, key: 'w', to: '/$org/waiting-decisions', icon: IconUserCheck },
  { label: texts.navigation.notifications, key: 'n', to: '/$org/settings/notifications', icon: IconBell },
  {
    label: texts.navigation.events,
    key: 'v',
    to: '/$org/settings/audit-events',
    icon: IconActivity,
    minRole: 'admin',
  },
  { label: texts.navigation.proof, key: 'l', to: '/$org/proof', icon: IconFingerprint },
  { label: texts.navigation.settings, key: 's', to: '/$org/settings', icon: IconSettings },
] as const

export type NavigationLink = (typeof DAILY | typeof ORGANIZATION)[number]

/** The lowest role that can open the page. */
export const getMinRole = (link: NavigationLink) => ('minRole' in link ? link.minRole : 'reader')

/** These paths are prefixes of other paths, so only an exact match is the current one. */
export const isExact = (to: NavigationLink['to']) => to === '/$org' || to === '/$org/settings'
