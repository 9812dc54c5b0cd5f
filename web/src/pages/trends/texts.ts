// Every text of deployment trends.
import { formatCount } from '../../ui/format-count.ts'

export const deploymentTrendTexts = {
  title: 'Trends',
  environment: 'Environment',
  deployments: {
    title: 'Deployments',
    intro:
      'A deployment is an artifact that starts to run in an environment. An artifact that reaches several environments is ' +
      'counted in each of them, unless you choose one.',
    label: (total: string) => `Deployments over time: ${total}.`,
    succeeded: 'Compliant when it started',
    failed: 'Failed',
    unknown: 'Outcome unknown',
    bar: (time: string, deployments: number, failed: number, unknown: number) =>
      `${time}: ${formatCount(deployments, 'deployment')}, ${failed} failed, ${unknown} with unknown outcome`,
    none: 'Nothing was deployed in this period',
    noneHint:
      'Choose a longer period or another environment. A report that shows a new artifact is a deployment.',
    countedSince: 'There are more deployments than can be counted: those before this time are left out:',
  },
  failure: {
    intro:
      'A deployment failed if its artifact violated the policies of the environment when it started, or if an artifact that ' +
      'had run in its place before replaced it. Incidents are not recorded here, so none are counted. Without policies and ' +
      'without a rollback, the outcome is unknown, and the rate leaves it out.',
  },
  lead: {
    title: 'Lead time',
    intro:
      'From the commit to the first start of the artifact: the median of each time span. A gap means that it is not known.',
    label: (median: string) => `Median lead time over time: ${median}.`,
    point: (time: string, median: string) => `${time}: ${median}`,
    none: 'No lead time is known: report the commit of an artifact with its time, and the start of its instances.',
  },
  figures: {
    label: 'Figures of the period',
    perDay: (perDay: string) => `${perDay} a day`,
    deployments: 'Deployments',
    leadTime: 'Median lead time',
    leadKnown: (known: number, all: number) => `known for ${known} of ${all}`,
    p90: (duration: string) => `90% within ${duration}`,
    failureRate: 'Change failure rate',
    failures: (failed: number, known: number) => `${failed} of ${known} failed`,
    causes: (nonCompliant: number, rolledBack: number) =>
      `${nonCompliant} non-compliant, ${rolledBack} rolled back`,
    unknownOutcome: (unknown: number) => `${unknown} with unknown outcome`,
    unknown: 'Unknown',
  },
  table: {
    open: 'Show the figures as a table',
    caption: 'Deployments by time span',
    from: 'From',
    to: 'To',
    deployments: 'Deployments',
    leadTime: 'Median lead time',
    nonCompliant: 'Non-compliant',
    rolledBack: 'Rolled back',
    unknown: 'Outcome unknown',
    rate: 'Failure rate',
  },
  units: { minutes: 'min', hours: 'h', days: 'd' },
}
