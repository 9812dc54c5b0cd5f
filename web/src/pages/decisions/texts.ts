// Every text of the page of waiting decisions.

export const decisionTexts = {
  title: 'Waiting decisions',
  intro:
    'None of these decisions counts yet. Each one takes effect as soon as a second person confirms it, and expires ' +
    'if nobody does within seven days.',
  empty: {
    none: 'No decisions are waiting',
    kinds: { override: 'attestation overrides', allow: 'allow-list entries' },
    noneHint: (org: string, kinds: string) =>
      `${org} requires two people for ${kinds}. When someone requests one, it is listed here until another person ` +
      'confirms or rejects it.',
    authorsHint: (org: string) =>
      `${org} requires two people when whoever is behind a policy overrules it. Such a decision is listed here until ` +
      'another person confirms or rejects it.',
    notRequired: 'This organization does not require two people',
    notRequiredHint:
      'Attestation overrides and allow-list entries take effect at once. Admins can require that a second person ' +
      'confirms them, under',
    settings: 'Settings, Organization',
    thenListed: '. Decisions that wait for confirmation are then listed here.',
  },
  card: {
    allow: (artifact: string, environment: string) => `Allow ${artifact} in ${environment}`,
    override: (attestation: string) => `Override ${attestation}`,
    environment: 'Environment',
    artifact: 'Artifact',
    fingerprint: 'Fingerprint',
    allowedUntil: 'Allowed until',
    noExpiry: 'no expiry',
    willCountAs: 'Will count as',
    attestation: 'Attestation',
    trail: 'Trail',
    ofFlow: 'of',
    reason: 'Reason',
    requested: 'Requested',
    requestedBy: (person: string) => `by ${person},`,
    lapsed: 'Lapsed before',
    lapsedRequest: (person: string, reason: string, why: string) =>
      `the request of ${person} (${reason}): ${why}`,
    expires: 'Expires',
  },
  decide: {
    ownRequest: 'You requested this. Someone else must confirm it.',
    withdraw: 'Withdraw',
    withdrew: (decision: string) => `Withdrew ${decision}`,
    notFromHere: (why: string) => `You cannot confirm it on this page. ${why}`,
    unknownCommit: (person: string) =>
      `It names artifacts by their template names, and only ${person} knows the commit that was sent with them. ` +
      'Ask for the commit, and send the same request with your own API key.',
    onlyRoles: (roles: string) => `Only ${roles} can confirm it.`,
    onlyGroups: (groups: string, count: number) =>
      `Only people in ${count === 1 ? 'the group' : 'one of the groups'} ${groups} can confirm it.`,
    reject: 'Reject',
    rejected: (decision: string) => `Rejected ${decision}`,
    endQuestion: 'It disappears from this page and does not take effect. It can be requested again.',
    request: 'Request that confirms it',
  },
  confirm: {
    confirm: 'Confirm',
    label: (decision: string) => `Confirm ${decision}`,
    title: (decision: string) => `Confirm ${decision}?`,
    close: 'Close',
    allowEffect: (artifact: string, environment: string) =>
      `${artifact} counts as compliant in ${environment} at once, whatever the policies say.`,
    overrideEffect: (attestation: string, trail: string, isCompliant: boolean, person: string) =>
      `${attestation} of ${trail} counts as ${isCompliant ? 'compliant' : 'not compliant'} at once. ` +
      `Links and annotations that ${person} may have sent with the request are not copied.`,
    reason: 'Reason',
    reasonHint: (person: string) =>
      `Stored beside the reason of ${person}, which is filled in here. Say what you have checked.`,
    confirmed: (decision: string) => `Confirmed ${decision}`,
    waiting: (decision: string) => `Waiting for a second person: ${decision}`,
    lapsed: (decision: string, why: string) =>
      `Not confirmed, because the first request has lapsed: ${why}. Yours is now the first for ${decision}`,
  },
}
