// Every text of the list of organizations.

export const homeTexts = {
  title: 'Organizations',
  none: "You don't belong to an organization yet",
  noneHint: 'Ask an admin to invite you.',
  personal: 'personal',
  byPolicies: 'Environments by policies',
  noEnvironments: 'No environments yet',
  needsSso: 'Sign in through single sign-on to see its state.',
  refused: 'It does not let you in from here, so its state is not shown.',
  lastActivity: 'Last activity',
  noActivity: 'Nothing recorded yet',
}
