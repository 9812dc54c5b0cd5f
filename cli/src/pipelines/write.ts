// Writes the pipelines as files below deploy/ci, and docs/ci.md: `npm run docs`.
import { stringify } from 'yaml'
import { EVIDENCE, FINISH, RECEIPTS_FILE, REPORT, SETUP, SPOOL_FILE, TEMPLATE_FILE } from './lines.ts'
import type { Pipeline, PipelineFile } from './pipeline.ts'
import { buildPipelines, TEMPLATE_PIPELINE_FILE } from './table.ts'

const MARK = 'Written by `npm run docs` from cli/src/pipelines/table.ts; do not edit.'

/** File contents by path in this repository. */
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
    '## Receipts',
    '',
    ...RECEIPTS,
    '',
    ...pipelines.flatMap(writeSection),
  ].join('\n')}`
}

const BEFORE = [
  'Every pipeline here gets from nothing to an asserted deployment with five lines and without a stored key. Replace the',
  'address, the organization, the names and the scripts with your own.',
  '',
  '## Before the first run',
  '',
  '1. The operator allows the issuer of the tokens: `WAYBILL_CI_ISSUERS` ([Keyless CI](operate/people.md#keyless-ci)).',
  '2. An admin of the organization makes a trust rule. `waybill ci keyless-rule` in a job prints the one that the job needs.',
  `3. A file says what every build must show. Here it is \`${TEMPLATE_FILE}\`:`,
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
  '',
  '   ```sh',
  ...SETUP.map(line => `   ${line}`),
  '   ```',
]

const [begin = '', artifact = '', junit = '', assert = ''] = EVIDENCE
const ROWS: readonly (readonly [string, string])[] = [
  [begin, 'begins the trail, named after the commit'],
  [artifact, 'records the artifact with its fingerprint, commit and build'],
  [junit, 'records the test results'],
  [assert, 'exits with 4 if something is missing, so that nothing is deployed'],
  [REPORT, 'reports what runs now'],
  [FINISH, 'delivers what waits, or keeps it in a file'],
]

const LINES = [
  '| line | does |',
  '|---|---|',
  ...ROWS.map(([line, does]) => `| \`${line.replaceAll('|', '\\|')}\` | ${does} |`),
  '',
  'Commands find commit, branch, repository and build in the variables of the job; `waybill ci` shows them.',
  'They write what they recorded, and the reasons of a no, to the page of the run or to its log.',
  '',
  'A key is valid for 15 minutes. Where a job gets only one token, let the lines follow each other, after build and tests.',
]

const AWAY = [
  'Lines that record exit with 0 and leave a file in the spool. `assert` exits with 3, which is neither yes nor no: only the',
  'gate stops.',
  `The last line of a job keeps what was not delivered as \`${SPOOL_FILE}\`. Later, on any machine with a key:`,
  '',
  '```sh',
  `waybill spool import ${SPOOL_FILE}`,
  'waybill spool flush',
  '```',
  '',
  'A runner that keeps its home folder needs no file: the next command delivers first what waits.',
]

const RECEIPTS = [
  `Every line that records something keeps a receipt in \`${RECEIPTS_FILE}\`: what was recorded, with the proof that it is in the`,
  'log. Every pipeline here keeps the file as an artifact of the job, because the disk of a runner dies with it. Later, on any',
  'machine with a key:',
  '',
  '```sh',
  `waybill verify receipts ${RECEIPTS_FILE}`,
  '```',
  '',
  'It shows that nothing was dropped or changed since ([log.md](log.md#receipts)). An artifact lives as long as the CI system keeps',
  'it: copy the files to where your evidence is kept, if that is not long enough. Several files can be joined with `cat`.',
  'Receipts say what was recorded and by whom; the artifacts of a public repository can be downloaded by others.',
]

function writeSection({ title, token, files }: Pipeline): string[] {
  return [
    `## ${title}`,
    '',
    token,
    '',
    ...files.flatMap(file => [
      `\`${file.path}\`, ${file.about}:`,
      '',
      typeof file.content === 'string' ? '```groovy' : '```yaml',
      writeContent(file).trimEnd(),
      '```',
      '',
    ]),
  ]
}
