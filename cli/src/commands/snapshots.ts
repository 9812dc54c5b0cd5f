// Snapshots of environments: what ran when, what changed, and the events between them.
import type { Schemas } from '../api-types.ts'
import { formatRows } from '../print/output.ts'
import { formatFields, formatState, formatTable, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, text, toggle, type ValuesOf } from '../program/flags.ts'
import { PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'
import { readAndShow } from './read.ts'
import { describeReasons } from './reasons.ts'
import { parseSnapshot, SNAPSHOT_NOTATION } from './snapshot-notation.ts'

type Snapshot = Schemas['Snapshot']
type DiffArtifact = Schemas['EnvironmentDiffArtifact']

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
          // A snapshot also lists what has just stopped.
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
          toRow: ({ index, from, to, state, is_stale, cause }) => [
            index,
            formatTime(from),
            // The latest one has no end.
            to === 0 ? 'now' : formatTime(to),
            `${formatState(state)}${is_stale ? ' (stale)' : ''}`,
            cause,
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
    details: SNAPSHOT_NOTATION,
    args: [argument('first', 'the first snapshot'), argument('second', 'the second snapshot')],
    flags: { 'show-unchanged': toggle('also what is the same in both', false, { short: 'u' }) },
    needs: 'org',
    operations: ['diffSnapshots'],
    examples: ['diff snapshots production~1 production', 'diff staging production'],
    run: ({ args: { first = '', second = '' }, flags, context }) =>
      readAndShow<Schemas['EnvironmentDiff']>(
        context,
        { template: '/env-diff/{org}', query: { snappish1: first, snappish2: second } },
        found => ({ text: describeDiff(found, flags['show-unchanged']) }),
      ),
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
      ['State', `${formatState(found.state)}${found.is_stale ? ' (stale)' : ''}`],
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

function describeDiff(found: Schemas['EnvironmentDiff'], shows_unchanged: boolean): string {
  const toRow = (change: string) => (artifact: Omit<DiffArtifact, 'instance_count'>) => [
    change,
    artifact.name,
    artifact.fingerprint.slice(0, 12),
    artifact.flow,
  ]
  const rows = [
    ...found.snappish1.artifacts.map(toRow(`only in ${found.snappish1.snapshot_id}`)),
    ...found.snappish2.artifacts.map(toRow(`only in ${found.snappish2.snapshot_id}`)),
    ...found.changed.artifacts.map(artifact =>
      toRow(`instances ${artifact.s1_instance_count} → ${artifact.s2_instance_count}`)(artifact),
    ),
    ...(shows_unchanged ? found['not-changed'].artifacts.map(toRow('in both')) : []),
  ]
  if (rows.length === 0) return 'No differences'
  return formatTable([['DIFFERENCE', 'ARTIFACT', 'FINGERPRINT', 'FLOW'], ...rows])
}
