// Every text of the repository list and of the page of a repository.
import { formatCount } from '../../ui/format-count.ts'

export const repoTexts = {
  title: 'Repositories',
  list: {
    nameContains: 'Name contains',
    name: 'Name',
    latestTrail: 'Latest trail',
    noTrail: 'none',
    running: 'Running',
    notRunning: 'not running',
    byPolicies: 'Running artifacts, by the policies of their environments',
    inEnvironments: (environments: number) => `by policies, in ${formatCount(environments, 'environment')}`,
    lastActivity: 'Last activity',
    tags: 'Tags',
    host: 'Host',
    unknownHost: 'unknown',
    noMatch: 'No repositories match your filter',
    none: 'No repositories yet',
    noneHint:
      'A repository appears here when a trail, an artifact or an attestation names it, for example with:',
  },
  views: { build: 'Build', release: 'Release', run: 'Run' },
  period: {
    label: 'Period',
    days: (days: number) => `${days} days`,
  },
  build: {
    frequency: 'Frequency',
    noneRecently: (days: number) => `No builds in the last ${days} days.`,
    perDay: (flow: string) => `Builds of ${flow} per day`,
    counting: 'Counted per flow and UTC day. A build that is reported again counts once.',
    builds: 'Builds',
    artifact: 'Artifact',
    state: 'State',
    commit: 'Commit',
    flow: 'Flow',
    build: 'Build',
    viewBuild: 'View build',
    reported: 'Reported',
    none: 'No builds yet',
    noneHint:
      'A build appears here when an artifact is reported on a trail with this repository in repo_info:',
  },
  release: {
    environment: 'Environment',
    all: 'All',
    frequency: 'Frequency and lead time',
    route: (flow: string, environment: string) => `${flow} to ${environment}`,
    perDay: 'Deployments per day',
    leadTimeP50: 'Lead time p50',
    p90: 'p90',
    p99: 'p99',
    counting:
      'Counted per flow, environment and UTC day. Lead time is the time from the commit to the start of the artifact.',
    deployments: 'Deployments',
    noneRecently: (days: number) => `No deployments in the last ${days} days`,
    noneHint:
      'A deployment appears here when an environment reports that an artifact of this repository has started.',
    artifact: 'Artifact',
    running: 'running',
    deployed: 'Deployed',
    leadTime: 'Lead time',
    commit: 'Commit',
    replaced: 'Replaced',
    replacedNothing: 'nothing',
    viewChanges: 'View changes',
  },
  chart: {
    summary: (count: number, noun: string, median: number) =>
      `${formatCount(count, noun)}, median ${median} a day`,
    label: (title: string, total: number, days: number) =>
      `${title}: ${total} in ${formatCount(days, 'day')}`,
    maximum: (count: number) => `most in a day: ${count}`,
    asText: 'As text',
    none: 'None on any day.',
  },
  run: {
    none: 'Not running anywhere',
    noneHint: 'No environment has an artifact of this repository in its latest snapshot.',
    caption: 'Running artifacts',
    environment: 'Environment',
    artifact: 'Artifact',
    commit: 'Commit',
    since: 'Since',
    basedOn: (count: number, total: number) => `Based on the newest ${count} of ${total} deployments.`,
  },
}
