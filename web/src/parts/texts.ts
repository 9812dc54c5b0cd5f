// Every text of the parts that several pages share, in the order in which a reader meets them.

export const partsTexts = {
  states: {
    COMPLIANT: 'Compliant',
    'NON-COMPLIANT': 'Non-compliant',
    UNKNOWN: 'Unknown',
    STALE: 'Stale',
    INCOMPLETE: 'Incomplete',
    MISSING: 'Missing',
    WAITING: 'Waiting',
    EXPIRED: 'Expired',
  },
  expiry: { never: 'Never', expires: 'Expires', expired: 'Expired' },
  unknown: {
    because: {
      'no-members': 'It combines no environments.',
      'never-reported': 'No reports yet.',
      'no-policies': 'No policy is attached: nothing was checked.',
      'not-evaluated': 'An evaluation has been waiting for more than a minute.',
      'unknown-member': 'The state of one of its members is unknown.',
    },
    help: { 'no-policies': 'Attach a policy', 'no-members': 'Choose environments' },
    artifact: 'No policy applies to it: nothing was checked.',
  },
  stateCount: (count: number, state: string) => `${count.toLocaleString()} ${state}`,
  /** The words for roles, wherever they appear. */
  roles: {
    reader: 'reader',
    auditor: 'auditor',
    snapshotter: 'snapshotter',
    member: 'member',
    admin: 'admin',
  },
  /** What each role can do in addition to the previous one. */
  roleHelp: {
    reader: 'can read everything',
    auditor: 'can also read logs, people and settings',
    snapshotter: 'can also report running artifacts',
    member: 'can also report builds and evidence, and change flows and policies',
    admin: 'can also manage people and settings',
  },
  explainedRole: (role: string, help: string) => `${role}: ${help}`,
  verdicts: {
    template: { short: 'by template', long: 'Compliance by the template of the flow' },
    policies: { short: 'by policies', long: 'Compliance by the policies of the environment' },
  },
  role: {
    /** `roles` reads like `members and admins`, `verb` like `change`. */
    required: (roles: string, verb: string, what: string) => `Only ${roles} can ${verb} ${what}`,
    askAdmin: 'Ask an admin of the organization.',
  },
  commands: {
    title: 'The same as a command',
    waybill: 'Command line',
    curl: 'curl',
  },
  archived: {
    title: (what: string) => `This ${what} is archived`,
    flow: 'It accepts no new reports. Everything already reported is kept.',
    environment: 'It accepts no new reports and sends no notifications. Its history is kept.',
    policy: "It can't be attached to environments. Its versions are kept.",
    type: "It can't be used in new reports. Everything already reported is kept.",
    unarchive: 'Unarchive',
    unarchived: (name: string) => `Unarchived ${name}`,
    badge: 'Archived',
    listTitle: (title: string) => `Archived ${title.toLowerCase()}`,
    noun: (noun: string) => `archived ${noun}`,
    back: (nouns: string) => `Back to active ${nouns}`,
  },
  links: {
    noCommit: 'none',
    noPolicies: 'no policies',
    noEnvironments: 'no environments',
    snapshot: (environment: string, index: number) => `${environment} #${index}`,
  },
  log: {
    title: 'Log',
    leaf: (index: number) => `Leaf ${index.toLocaleString()},`,
    leafIn: (index: number, size: number, witnesses: number) => {
      const place = `Leaf ${index.toLocaleString()}, in checkpoint ${size.toLocaleString()}`
      if (witnesses === 0) return `${place}.`
      return `${place}, seen by ${witnesses === 1 ? '1 witness' : `${witnesses} witnesses`}.`
    },
    download: 'Download proof',
    unsigned: 'not signed now',
    none: 'Recorded before the log',
    unknown: 'Not known at the moment',
  },
  auditPackage: 'Download audit package',
  period: {
    label: 'Period',
    names: { '7d': '7 days', '30d': '30 days', '90d': '90 days', '1y': '1 year' },
  },
  time: {
    never: 'never',
    collected: 'Collected',
    recorded: ', recorded',
    sentLater: ', sent later',
    zone: 'Show times in',
    local: 'My time zone',
    utc: 'UTC',
    zoneSaved: (zone: 'local' | 'utc') =>
      zone === 'utc' ? 'Times are shown in UTC' : 'Times are shown in your time zone',
  },
  tags: {
    empty: 'No tags yet.',
    remove: (key: string) => `Remove the tag ${key}`,
    set: 'Set a tag',
    key: 'Key',
    keyExample: 'team',
    keyFormat: 'Use letters, digits and - _ . ~, and start with a letter or a digit',
    value: 'Value',
    valueExample: 'payments',
    save: 'Set tag',
    saved: 'Updated the tags',
  },
  waitingDecisions: {
    title: 'Waiting for a second person',
    link: 'Waiting decisions',
    allow: (artifact: string) => `the allow-list entry for ${artifact}`,
    override: (attestation: string) => `the override of ${attestation}`,
  },
  answers: {
    withoutPages: 'The server returned a list without pages. Reload the page.',
    withPages: 'The server returned one page instead of the whole list. Reload the page.',
  },
} as const
