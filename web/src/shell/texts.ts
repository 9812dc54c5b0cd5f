// Every text of the frame around the pages, in the order in which a reader meets them.

export const shellTexts = {
  product: 'Waybill',
  skipToContent: 'Skip to content',
  header: {
    navigation: 'Navigation',
    organization: 'Organization',
  },
  account: {
    profile: 'Your profile',
    theme: 'Theme',
    light: 'Light',
    dark: 'Dark',
    matchSystem: 'Match system',
    api: 'API reference',
    signOut: 'Sign out',
  },
  navigation: {
    label: 'Pages',
    overview: 'Overview',
    environments: 'Environments',
    running: 'Running',
    flows: 'Flows',
    attestations: 'Attestations',
    repos: 'Repos',
    policies: 'Policies',
    controls: 'Controls',
    organization: 'Organization',
    members: 'Members',
    serviceAccounts: 'Service accounts',
    waitingDecisions: 'Waiting decisions',
    notifications: 'Notifications',
    events: 'Events',
    proof: 'Proof',
    settings: 'Settings',
  },
  connection: {
    away: "Can't reach the server. Retrying…",
    offline: 'You are offline.',
    lost: 'The connection was lost',
  },
  needsSso: {
    reason: 'This organization requires single sign-on. You signed in another way.',
    signIn: 'Sign in with single sign-on',
  },
} as const
