// Where the navigation leads: what is watched every day first, what belongs to the organization after it.
import {
  IconActivity,
  IconBell,
  IconBox,
  IconChecklist,
  IconFileCertificate,
  IconGitBranch,
  IconHome,
  IconRobot,
  IconRoute,
  IconSettings,
  IconShieldCheck,
  IconUserCheck,
  IconUsers,
} from '@tabler/icons-react'

export const DAILY = [
  { label: 'Overview', to: '/$org', icon: IconHome },
  { label: 'Environments', to: '/$org/environments', icon: IconBox },
  { label: 'Flows', to: '/$org/flows', icon: IconRoute },
  { label: 'Attestations', to: '/$org/attestations', icon: IconFileCertificate },
  { label: 'Repos', to: '/$org/repos', icon: IconGitBranch },
  { label: 'Policies', to: '/$org/policies', icon: IconShieldCheck },
  { label: 'Controls', to: '/$org/controls', icon: IconChecklist },
] as const

export const ORGANIZATION = [
  { label: 'Members', to: '/$org/settings/members', icon: IconUsers },
  { label: 'Service accounts', to: '/$org/settings/service-accounts', icon: IconRobot },
  { label: 'Waiting decisions', to: '/$org/waiting-decisions', icon: IconUserCheck },
  { label: 'Notifications', to: '/$org/settings/notifications', icon: IconBell },
  { label: 'Events', to: '/$org/settings/audit-events', icon: IconActivity },
  { label: 'Settings', to: '/$org/settings', icon: IconSettings },
] as const

export type NavigationPlace = (typeof DAILY | typeof ORGANIZATION)[number]

/** These have others below them that are places of their own. */
export const isExact = (to: NavigationPlace['to']) => to === '/$org' || to === '/$org/settings'
