// Every text of the trends of an environment.
import { formatCount } from '../../../ui/format-count.ts'

export const trendTexts = {
  compliance: {
    title: 'Compliance over time',
    intro:
      'How much of each time span the environment was in each state. A number marks a change of its policies.',
    label: (shares: string, changes: number) =>
      `Compliance over time: ${shares === '' ? 'nothing was reported' : shares}. ${formatCount(changes, 'change')} of policies.`,
    nothing: 'Nothing was reported in this period',
    nothingHint: 'Choose a longer period, or see the timeline for the whole history.',
    noReports: 'no reports yet',
    bar: (time: string, shares: string) => `${time}: ${shares}`,
    table: 'Show the figures as a table',
    caption: 'Compliance by time span',
    from: 'From',
    to: 'To',
    noSnapshot: 'Before the first report',
  },
  policies: {
    title: 'Changes of policies',
    none: 'No policy was attached, detached or updated in this period.',
    caption: 'Changes of policies, as marked in the chart',
    mark: 'Mark',
    when: 'When',
    change: 'Change',
    snapshot: 'Snapshot',
    environment: 'Environment',
    attached: (version: number) => `attached, version ${version}`,
    updated: (before: number, version: number) => `updated from version ${before} to ${version}`,
    detached: (version: number) => `detached, was version ${version}`,
    markLabel: (time: string, changes: string) => `${time}: ${changes}`,
    ofPolicy: (policy: string, change: string) => `${policy} ${change}`,
    knownSince: 'There are more changes: those before this time are not shown:',
  },
}
