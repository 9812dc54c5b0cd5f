// Every text of the building blocks, in the order in which a reader meets them.

export const uiTexts = {
  loading: 'Loading',
  table: {
    label: 'Table',
    sortBy: (column: string) => `Sort by ${column}`,
    sortsPage: 'Sorted within this page only. Use the filters to find something in the whole list.',
  },
  breadcrumbs: 'Breadcrumbs',
  none: 'none',
  unknown: 'Unknown',
  error: {
    title: 'Something went wrong',
    unreachable: "Can't reach the server. Check your connection and try again.",
  },
  fields: {
    required: 'This field is required',
    httpsUrl: 'Must start with https://',
    wrongFormat: 'The format is not valid. See the description of this field.',
  },
  filters: {
    clear: 'Clear all filters',
  },
  pager: {
    pagesOf: (nouns: string) => `Pages of ${nouns}`,
    page: (number: number) => `Page ${number}`,
    printed: (page: number, count: number) => `, page ${page} of ${count}`,
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    noSuchPage: 'There is no such page',
    backToFirst: 'Back to the first page',
  },
  copy: {
    copy: 'Copy',
    copied: 'Copied',
    action: (verb: string, what: string) => `${verb} ${what}`,
    command: 'the command',
    secret: 'the secret',
  },
  secret: {
    title: "Copy this secret now. You won't see it again.",
    label: 'Secret',
  },
  leave: {
    title: 'Leave without saving?',
    question: 'What you have typed on this page is not saved.',
    stay: 'Stay',
    leave: 'Leave',
  },
  dialog: {
    action: (verb: string, what: string) => `${verb} ${what}`,
    title: (action: string) => `${action}?`,
    typeToConfirm: (name: string) => `Type ${name} to confirm`,
    cancel: 'Cancel',
    close: 'Close',
  },
  bytes: (count: number) => `${count} ${count === 1 ? 'byte' : 'bytes'}`,
  moreItems: (count: number) => `${count} more`,
  everyInterval: (duration: string) => `every ${duration}`,
} as const
