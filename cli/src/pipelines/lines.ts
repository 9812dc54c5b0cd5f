// The lines of a pipeline, from nothing to an asserted deployment. They are the same in every CI system.

export const HOST = 'https://waybill.example.com'
export const ORG = 'acme'
export const FLOW = 'app'

/** Stands for the user's own build, tests and deployment. */
export const BUILD = './build.sh'
export const DEPLOY = './deploy.sh'

export const TEMPLATE_FILE = 'waybill-template.yml'

/** What every build must show. */
export const TEMPLATE = {
  version: 1,
  trail: {
    artifacts: [{ name: 'app', attestations: [{ name: 'unit-tests', type: 'junit' }] }],
  },
}

/** Once, by a member: keys of jobs can report and attest, but not change what is required of them. */
export const SETUP = [
  `waybill create flow ${FLOW} --template-file ${TEMPLATE_FILE}`,
  'waybill create environment production --type server',
]

/** Record what was built and tested, and ask whether it may be deployed. */
export const EVIDENCE = [
  'waybill begin trail',
  'waybill attest artifact dist/app.tgz --name app',
  'waybill attest junit dist/app.tgz --name app.unit-tests --results-dir test-results',
  'waybill assert artifact dist/app.tgz',
]

/** Report what runs now. */
export const REPORT = 'waybill snapshot path production --name app --path deployed/app.tgz'

export const SPOOL_FILE = 'waybill-spool.wbs'

/** At the end of every job, also of a failed one: deliver what waits, or keep it in a file. */
export const FINISH = `waybill spool flush || waybill spool export ${SPOOL_FILE}`

export const writeInstall = (version: string): string => `npm install --global waybill@${version}`
