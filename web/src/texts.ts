// The texts that belong to no page: wrong addresses, and unexpected responses.

export const appTexts = {
  notFound: 'There is no page at this address',
  noAccess: "You don't have access to this organization, or it doesn't exist.",
  unexpectedAnswer: 'The server sent an unexpected response. Try again.',
  sessionUnreadable: "Can't load your session. Reload the page.",
} as const
