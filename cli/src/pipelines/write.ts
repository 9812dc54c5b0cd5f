// Writes the pipelines as files below deploy/ci, and docs/ci.md: `npm run docs:ci`.
import { stringify } from 'yaml'
import { EVIDENCE, FINISH, REPORT, SETUP, SPOOL_FILE, TEMPLATE_FILE } from './lines.ts'
import { buildPipelines, type Pipeline, type PipelineFile, TEMPLATE_PIPELINE_FILE } from './table.ts'

const MARK = 'Written by `npm run docs:ci` from cli/src/pipelines/table.ts; do not edit.'
const TESTS = 'cli/test/pipelines.test.ts'

/** From paths in this repository to texts. */
export function writePipelines(version: string): Map<string, string> {
  const pipelines = buildPipelines(version)
  const files = [TEMPLATE_PIPELINE_FILE, ...pipelines.flatMap(({ files: each }) => each)]
  return new Map([
    ...files.map(file => [`deploy/ci/${file.written}`, writeFile(file)] as const),
    ['docs/ci.md', writePage(pipelines)],
  ])
}

function writeFile(file: PipelineFile): string {
  const sign = typeof file.content === 'string' ? '//' : '#'
  return `${sign} ${MARK}\n${writeContent(file)}`
}

function writeContent({ content }: PipelineFile): string {
  if (typeof content === 'string') return content
  return content
    .map(document => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n')
}

function writePage(pipelines: readonly Pipeline[]): string {
  return `${[
    '# Waybill in a pipeline',
    '',
    MARK.replace('do not edit', 'do not edit. The files are in [deploy/ci](../deploy/ci)'),
    `<!-- test: ${TESTS} › the generated files › are fresh: run \`npm run docs:ci\` -->`,
    '',
    ...BEFORE,
    '',
    '## The lines',
    '',
    ...LINES,
    '',
    '## While the service is away',
    '',
    ...AWAY,
    '',
    ...pipelines.flatMap(writeSection),
  ].join('\n')}`
}

const BEFORE = [
  'Every pipeline here gets from nothing to an asserted deployment with five lines and without a stored key. Replace the',
  'address, the organization, the names and the scripts with your own.',
  `<!-- test: ${TESTS} › %s › deploys what is tested, and reports it -->`,
  `<!-- test: ${TESTS} › the generated files › take five lines, and hold no key -->`,
  '',
  '## Before the first run',
  '',
  '1. The operator allows the issuer of the tokens: `WAYBILL_CI_ISSUERS` ([people and access](operate/people.md#keyless-ci)).',
  '   <!-- no test: advice -->',
  '2. An admin of the organization makes a trust rule. `waybill ci keyless-rule` in a job prints the one that the job needs.',
  '   <!-- test: cli/test/keyless.test.ts › a job of GitHub Actions › prints the rule that it needs, and records without a key once an admin made it -->',
  `3. A file says what every build must show. Here it is \`${TEMPLATE_FILE}\`:`,
  `   <!-- test: ${TESTS} › %s › deploys nothing without the evidence that the template requires -->`,
  '',
  '   ```yaml',
  ...writeContent(TEMPLATE_PIPELINE_FILE)
    .trimEnd()
    .split('\n')
    .map(line => `   ${line}`),
  '   ```',
  '',
  '4. A member makes a flow of it, and an environment. The key of a job cannot: it reports and attests, and does not',
  '   change what is required of it.',
  `   <!-- test: ${TESTS} › %s › deploys what is tested, and reports it -->`,
  `   <!-- test: ${TESTS} › the key of a job › cannot change what is required of it -->`,
  '',
  '   ```sh',
  ...SETUP.map(line => `   ${line}`),
  '   ```',
]

const WHOLE = 'deploys what is tested, and reports it'
const [begin = '', artifact = '', junit = '', assert = ''] = EVIDENCE
const ROWS: readonly (readonly [string, string, string])[] = [
  [begin, 'begins the trail, named after the commit', WHOLE],
  [artifact, 'records the artifact with its fingerprint, commit and build', WHOLE],
  [junit, 'records the test results', WHOLE],
  [
    assert,
    'exits with 4 if something is missing, so that nothing is deployed',
    'deploys nothing without the evidence that the template requires',
  ],
  [REPORT, 'reports what runs now', WHOLE],
  [
    FINISH,
    'delivers what waits, or keeps it in a file',
    'loses nothing and stops only the gate if the service goes away',
  ],
]

const LINES = [
  '| line | does | test |',
  '|---|---|---|',
  ...ROWS.map(
    ([line, does, title]) => `| \`${line.replaceAll('|', '\\|')}\` | ${does} | ${TESTS} › %s › ${title} |`,
  ),
  '',
  'Commands find commit, branch, repository and build in the variables of the job; `waybill ci` shows them.',
  '<!-- test: cli/test/keyless.test.ts › a job of GitHub Actions › shows what is known about it, and where it comes from -->',
  'They write what they recorded, and the reasons of a no, to the page of the run or to its log.',
  '<!-- test: cli/test/ci-report.test.ts › a verdict that is no › is an error with its reason in GitHub Actions, and a table on the page of the run -->',
  '',
  'A key is valid for 15 minutes. Where a job gets only one token, let the lines follow each other, after build and tests.',
  '<!-- test: cli/test/keyless.test.ts › a pod › keeps the key for its only token, for its next commands and nobody else -->',
]

const AWAY = [
  'Lines that record exit with 0 and leave a file in the spool. `assert` exits with 3, which is neither yes nor no: only who',
  'asks is stopped.',
  `<!-- test: ${TESTS} › %s › loses nothing and stops only the gate if the service goes away -->`,
  `The last line of a job keeps what was not delivered as \`${SPOOL_FILE}\`. Later, on any machine with a key:`,
  `<!-- test: ${TESTS} › %s › loses nothing and stops only the gate if the service goes away -->`,
  '',
  '```sh',
  `waybill spool import ${SPOOL_FILE}`,
  'waybill spool flush',
  '```',
  '',
  'A runner that keeps its home folder needs no file: the next command delivers first what waits.',
  '<!-- test: cli/test/spool.test.ts › a service that is away › gets what waits with the next command, before it -->',
]

function writeSection({ title, token, files }: Pipeline): string[] {
  return [
    `## ${title}`,
    '',
    token,
    `<!-- test: ${TESTS} › %s › deploys what is tested, and reports it -->`,
    '',
    ...files.flatMap(file => [
      `\`${file.path}\`, ${file.about}:`,
      '<!-- no test: introduction -->',
      '',
      typeof file.content === 'string' ? '```groovy' : '```yaml',
      writeContent(file).trimEnd(),
      '```',
      '',
    ]),
  ]
}
