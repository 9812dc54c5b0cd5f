// Every text of the list of organizations.

export const homeTexts = {
  title: 'Organizations',
  none: "You don't belong to an organization yet",
  noneHint: 'Ask an admin to invite you.',
  personal: 'personal',
}
