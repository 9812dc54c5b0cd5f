// The earlier versions of the product whose databases are kept, each named after its newest migration. Only commits
// whose migrations were never edited afterwards can be here.
export const LANDMARKS = [
  { name: '0082', commit: 'cbf704cb', title: 'the last one before the schema became a single migration' },
]
