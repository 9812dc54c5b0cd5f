// Questions about environments: what runs, what changed, what happened, and which reporters stopped.
import type { Schemas } from '../../api-types.ts'
import { readPage } from '../../commands/pages.ts'
import { parseSnapshot, SNAPSHOT_NOTATION } from '../../commands/snapshot-notation.ts'
import { describeState } from '../../commands/unknown-verdict.ts'
import { formatState, formatTime } from '../../print/table.ts'
import { count } from '../count.ts'
import { show } from '../mark-data.ts'
import {
  type Answered,
  defineQuestion,
  PER_PAGE,
  page,
  requiredText,
  type Service,
  text,
} from '../question.ts'
import { describeMore } from './describe-more.ts'

type Environment = Schemas['Environment']
type SnapshotPage = Schemas['SnapshotArtifactPage']
type Diff = Schemas['EnvironmentDiff']
type Happened = Schemas['EnvironmentEvent']

export const environmentQuestions = [
  defineQuestion({
    name: 'what_runs_where',
    title: 'What runs where',
    description:
      'Without an environment: every environment with its state. With one: the artifacts that run there, or ran there at the time of a snapshot, each with its verdict, flow and commit.',
    parameters: {
      environment: text(`an environment or one of its snapshots. ${SNAPSHOT_NOTATION}`),
      artifact_name: text('only artifacts whose name contains this'),
      page,
    },
    operations: ['listEnvironments', 'listSnapshotArtifacts'],
    answer: ({ environment, artifact_name, page: number = 1 }, service) =>
      environment === undefined
        ? listEnvironments(service, number)
        : listRunning(service, environment, artifact_name, number),
  }),
  defineQuestion({
    name: 'what_changed',
    title: 'What changed',
    description: 'Which artifacts started, stopped or scaled in an environment between two snapshots.',
    parameters: {
      environment: requiredText('the environment'),
      since: text(
        'the earlier snapshot: ~1 is one before the latest, #3 the third, @{2.days.ago} what ran then; by default ~1',
      ),
      until: text('the later snapshot, in the same notation; by default the latest'),
    },
    operations: ['diffSnapshots'],
    answer: async ({ environment, since = '~1', until = '' }, service) => {
      const query = { snappish1: `${environment}${since}`, snappish2: `${environment}${until}` }
      const found = await service.read<Diff>({ template: '/env-diff/{org}', query })
      const { snappish1, snappish2, changed } = found
      const link = service.link('environments', environment)
      const lines = [
        ...snappish2.artifacts.map(artifact => `started: ${describeRunning(artifact)}`),
        ...snappish1.artifacts.map(artifact => `stopped: ${describeRunning(artifact)}`),
        ...changed.artifacts.map(
          artifact =>
            `scaled from ${artifact.s1_instance_count} to ${artifact.s2_instance_count}: ${describeRunning(artifact)}`,
        ),
        `Compared: ${show(snappish1.snapshot_id)} with ${show(snappish2.snapshot_id)}; page: ${link}`,
      ]
      return {
        summary: `${snappish2.artifacts.length} started, ${snappish1.artifacts.length} stopped, ${changed.artifacts.length} scaled.`,
        lines,
      }
    },
  }),
  defineQuestion({
    name: 'history_of_environment',
    title: 'History of an environment',
    description: 'What started, stopped and changed its verdict in an environment, newest first.',
    parameters: { environment: requiredText('the environment'), page },
    operations: ['listEnvironmentEvents'],
    answer: async ({ environment, page: number = 1 }, service) => {
      const found = await service.read<Happened[]>({
        template: '/environments/{org}/{env_name}/events',
        params: { env_name: environment },
        query: { page: number, per_page: PER_PAGE },
      })
      return {
        summary: found.length === 0 ? 'Nothing happened.' : `${count(found.length, 'event')}, newest first.`,
        lines: found.map(
          event =>
            `${formatTime(event.reported_at)} snapshot ${event.snapshot_index} (${formatState(event.snapshot_compliance)}): ${show(event.description)}, ${show(event.artifact_name)} ${event.sha256.slice(0, 12)}; page: ${event._links.snapshot.html}`,
        ),
        more: found.length === PER_PAGE ? `There may be more: ask with page ${number + 1}.` : undefined,
      }
    },
  }),
  defineQuestion({
    name: 'late_reporters',
    title: 'Late or stale reporters',
    description:
      'Environments whose reports stopped, that see only a part, or that never reported. Their state is not known, whatever it was before.',
    parameters: {},
    operations: ['listEnvironments'],
    answer: async (_, service) => {
      const all = await service.read<Environment[]>({ template: '/environments/{org}' })
      const late = all.filter(
        ({ is_stale, is_partial, last_reported_at, type }) =>
          is_stale || is_partial || (last_reported_at === null && type !== 'logical'),
      )
      return {
        summary: `${late.length} of ${count(all.length, 'environment')} stopped reporting, see only a part or never reported.`,
        lines: late.map(describeEnvironment),
      }
    },
  }),
]

async function listEnvironments(service: Service, number: number): Promise<Answered> {
  const found = readPage<Environment>(
    await service.read({ template: '/environments/{org}', query: { page: number, per_page: PER_PAGE } }),
    'environments',
  )
  return {
    summary: `${count(found.total ?? found.items.length, 'environment')}.`,
    lines: found.items.map(describeEnvironment),
    more: describeMore(found),
  }
}

function describeEnvironment(found: Environment): string {
  const doubts = [
    ...(found.is_stale ? [`stale since ${formatTime(found.stale_since)}`] : []),
    ...(found.is_partial ? [`only partly seen since ${formatTime(found.partial_since)}`] : []),
  ]
  const last = found.last_reported_at === null ? 'never' : formatTime(found.last_reported_at)
  return `${show(found.name)} (${found.type}): ${describeState(found)}${doubts.map(doubt => `, ${doubt}`).join('')}; snapshot ${found.latest_snapshot_index}, last report ${last}; page: ${found.html_url}`
}

async function listRunning(
  service: Service,
  environment: string,
  name: string | undefined,
  number: number,
): Promise<Answered> {
  const found = await service.read<SnapshotPage>({
    template: '/snapshots/{org}/{env_name}/{snapshot_expression}/artifacts',
    params: parseSnapshot(environment),
    query: { page: number, per_page: PER_PAGE, name },
  })
  const { snapshot, artifacts, total_count } = found
  const { true: yes, false: no, null: unknown } = snapshot.artifact_compliance_count
  return {
    summary: `${count(total_count, 'artifact')} in snapshot ${snapshot.index}: ${yes} compliant, ${no} non-compliant, ${unknown} unknown. The environment is ${describeState(snapshot)}.`,
    lines: [
      ...artifacts.map(
        artifact =>
          `${show(artifact.name)} ${artifact.fingerprint.slice(0, 12)}: ${artifact.compliance_state}, flow ${show(artifact.flow_name)}, commit ${show(artifact.git_commit.slice(0, 12))}; page: ${artifact.html_url}`,
      ),
      `Snapshot of ${formatTime(snapshot.timestamp)}; page: ${snapshot.html_url}`,
    ],
    more: describeMore(readPage(found, 'artifacts')),
  }
}

const describeRunning = ({ name, fingerprint, flow }: { name: string; fingerprint: string; flow: string }) =>
  `${show(name)} ${fingerprint.slice(0, 12)}, flow ${show(flow)}`
