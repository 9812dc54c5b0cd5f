// The shell lines of an example pipeline, from setup to an asserted deployment. They are the same in every CI
// system.

export const HOST = 'https://waybill.example.com'
export const ORG = 'acme'
export const FLOW = 'app'

/** Placeholders for the user's build, tests and deployment. */
export const BUILD = './build.sh'
export const DEPLOY = './deploy.sh'

export const TEMPLATE_FILE = 'waybill-template.yml'

/** The evidence that every build must have. */
export const TEMPLATE = {
  version: 1,
  trail: {
    artifacts: [{ name: 'app', attestations: [{ name: 'unit-tests', type: 'junit' }] }],
  },
}

/** Run once, by a member: job keys can report and attest, but not change requirements. */
export const SETUP = [
  `waybill create flow ${FLOW} --template-file ${TEMPLATE_FILE}`,
  'waybill create environment production --type server',
]

/** Record the build and its tests, and ask whether it may be deployed. */
export const EVIDENCE = [
  'waybill begin trail',
  'waybill attest artifact dist/app.tgz --name app',
  'waybill attest junit dist/app.tgz --name app.unit-tests --results-dir test-results',
  'waybill assert artifact dist/app.tgz',
]

/** Report what runs now. */
export const REPORT = 'waybill snapshot path production --name app --path deployed/app.tgz'

export const SPOOL_FILE = 'waybill-spool.wbs'

/** At the end of every job, even a failed one: deliver spooled writes, or keep them in a file. */
export const FINISH = `waybill spool flush || waybill spool export ${SPOOL_FILE}`

/** What shows later that the log still has everything that the job recorded. */
export const RECEIPTS_FILE = 'waybill-receipts.jsonl'
export const RECEIPTS_VARIABLE = 'WAYBILL_RECEIPTS'

/** With its folder, because a script may change to another one. */
export const KEEP_RECEIPTS = `export ${RECEIPTS_VARIABLE}="$PWD/${RECEIPTS_FILE}"`

export const writeInstall = (version: string): string => `npm install --global waybill@${version}`
