// Snapshots of environments: what ran when, what changed, and the events between them.
import type { Schemas } from '../api-types.ts'
import { formatRows } from '../print/output.ts'
import { formatFields, formatState, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, text, toggle, type ValuesOf } from '../program/flags.ts'
import { describeDifferences, pairDifferences } from './diff.ts'
import { PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'
import { read, readAndShow } from './read.ts'
import { describeReasons } from './reasons.ts'
import { parseSnapshot, SNAPSHOT_NOTATION } from './snapshot-notation.ts'
import { describeState } from './unknown-verdict.ts'

type Snapshot = Schemas['Snapshot']
type EnvironmentDiff = Schemas['EnvironmentDiff']

const RANGE_FLAGS = {
  ...PAGE_FLAGS,
  interval: text('a range of snapshots, such as 3..5 or ~5..NOW', { short: 'i', placeholder: '<from..to>' }),
  reverse: toggle('the oldest first'),
} as const

function buildRange(flags: ValuesOf<typeof RANGE_FLAGS>) {
  return {
    page: flags.page,
    per_page: flags['page-limit'],
    interval: flags.interval,
    reverse: flags.reverse || undefined,
  }
}

export const snapshotCommands = [
  defineCommand({
    words: ['get', 'snapshot'],
    summary: 'show what ran in an environment, now or earlier',
    details: SNAPSHOT_NOTATION,
    args: [argument('snapshot', 'the environment, or one of its snapshots')],
    flags: {},
    needs: 'org',
    operations: ['getSnapshot'],
    examples: [
      'get snapshot production',
      'get snapshot production~1',
      "get snapshot 'production@{2.hours.ago}'",
    ],
    run: ({ args: { snapshot = '' }, context }) =>
      readAndShow<Snapshot>(
        context,
        { template: '/snapshots/{org}/{env_name}/{snapshot_expression}', params: parseSnapshot(snapshot) },
        found => ({
          // A snapshot also lists instances that just stopped.
          names: found.artifacts.flatMap(({ fingerprint, annotation }) =>
            annotation.now > 0 ? [fingerprint] : [],
          ),
          text: describeSnapshot(found),
        }),
      ),
  }),
  defineCommand({
    words: ['list', 'snapshots'],
    also: [['list', 'snapshot']],
    summary: 'list the snapshots of an environment, the newest first',
    args: [argument('environment', 'the environment')],
    flags: RANGE_FLAGS,
    needs: 'org',
    operations: ['listSnapshots'],
    examples: ['list snapshots production --interval ~5..NOW'],
    run: ({ args: { environment = '' }, flags, context }) =>
      readAndList<Schemas['SnapshotListItem']>(
        context,
        {
          template: '/snapshots/{org}/{env_name}',
          params: { env_name: environment },
          query: buildRange(flags),
        },
        {
          head: ['SNAPSHOT', 'FROM', 'TO', 'STATE', 'CAUSE'],
          toRow: found => [
            found.index,
            formatTime(found.from),
            // The latest snapshot has no end.
            found.to === 0 ? 'now' : formatTime(found.to),
            describeState(found),
            found.cause,
          ],
          toName: ({ index }) => `${environment}#${index}`,
          nothing: `No snapshots of ${environment}`,
        },
      ),
  }),
  defineCommand({
    words: ['diff', 'snapshots'],
    also: [['diff', 'snapshot'], ['diff']],
    summary: 'compare two snapshots of one or two environments',
    details: `Pairs the versions of an artifact, and links to the changes of the code. ${SNAPSHOT_NOTATION}`,
    args: [argument('first', 'the first snapshot'), argument('second', 'the second snapshot')],
    flags: {
      'show-unchanged': toggle('also what is the same in both', false, { short: 'u' }),
      'exit-code': toggle('exit with 4 if there are differences'),
    },
    needs: 'org',
    operations: ['diffSnapshots'],
    examples: ['diff snapshots production~1 production', 'diff staging production'],
    run: async ({ args: { first = '', second = '' }, flags, context }) => {
      const { json } = await read(context, {
        template: '/env-diff/{org}',
        query: { snappish1: first, snappish2: second },
      })
      const differences = pairDifferences(json as EnvironmentDiff)
      const shown = differences.filter(({ change }) => change !== 'unchanged' || flags['show-unchanged'])
      await context.output.show({
        json,
        text: describeDifferences(json as EnvironmentDiff, shown),
        names: shown.map(({ name }) => name),
      })
      const isSame = differences.every(({ change }) => change === 'unchanged')
      return flags['exit-code'] && !isSame ? 'no' : undefined
    },
  }),
  defineCommand({
    words: ['log', 'environment'],
    also: [['log', 'env']],
    summary: 'list what started, stopped and changed in an environment',
    args: [argument('environment', 'the environment')],
    flags: {
      ...RANGE_FLAGS,
      repo: list('only artifacts of these repositories', { placeholder: '<names>' }),
      start: text('from here: a snapshot, or a time such as 2days', { placeholder: '<start>' }),
      end: text('up to here', { placeholder: '<end>' }),
      'start-ts': text('from this time, in seconds since 1970', { placeholder: '<seconds>' }),
      'end-ts': text('up to this time', { placeholder: '<seconds>' }),
    },
    needs: 'org',
    operations: ['listEnvironmentEvents'],
    examples: ['log environment production --start 1', 'log environment production --repo acme/backend'],
    run: ({ args: { environment = '' }, flags, context }) =>
      readAndList<Schemas['EnvironmentEvent']>(
        context,
        {
          template: '/environments/{org}/{env_name}/events',
          params: { env_name: environment },
          query: {
            ...buildRange(flags),
            repo_name: flags.repo,
            start: flags.start,
            end: flags.end,
            start_ts: flags['start-ts'],
            end_ts: flags['end-ts'],
          },
        },
        {
          head: ['SNAPSHOT', 'TIME', 'EVENT', 'ARTIFACT', 'FLOWS', 'STATE'],
          toRow: event => [
            event.snapshot_index,
            formatTime(event.reported_at),
            event.type,
            event.artifact_name,
            event.flows.map(({ flow_name }) => flow_name).join(', '),
            formatState(event.artifact_compliance),
          ],
          toName: ({ snapshot_index }) => `${environment}#${snapshot_index}`,
          nothing: `No events in ${environment}`,
        },
      ),
  }),
]

function describeSnapshot(found: Snapshot): string {
  const rows = found.artifacts.map(artifact => [
    artifact.name,
    artifact.fingerprint.slice(0, 12),
    artifact.git_commit.slice(0, 7),
    artifact.flows.map(({ flow_name }) => flow_name).join(', '),
    artifact.annotation.now,
    artifact.annotation.type,
    artifact.compliance_state,
  ])
  const reasons = found.artifacts.flatMap(({ reasons_for_incompliance }) => reasons_for_incompliance)
  return [
    formatFields([
      ['Snapshot', `${found.environment_name}#${found.index}${found.is_latest ? ' (the latest)' : ''}`],
      ['Since', formatTime(found.timestamp)],
      ['State', describeState(found)],
      ['Policies', found.applied_policies.map(({ name, version }) => `${name} v${version}`).join(', ')],
    ]),
    '',
    formatRows(
      ['ARTIFACT', 'FINGERPRINT', 'COMMIT', 'FLOWS', 'INSTANCES', 'CHANGE', 'STATE'],
      rows,
      'Nothing was running.',
    ),
    ...(reasons.length === 0 ? [] : ['', describeReasons(reasons)]),
  ].join('\n')
}
