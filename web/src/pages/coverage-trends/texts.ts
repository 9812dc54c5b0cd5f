// Every text of coverage over time.
import { formatCount } from '../../ui/format-count.ts'

const NOT_COVERED =
  'In an environment that was stale or had a partial view, nobody knows what still ran: it counts as unknown.'

export const coverageTexts = {
  provenance: {
    title: 'Provenance of what ran',
    intro:
      'The artifacts that ran at the end of each time span, and how many of them a flow had reported by then. A report that came ' +
      `later does not change the time before it. ${NOT_COVERED}`,
    name: 'Provenance over time',
    table: 'Show provenance as a table',
    with: 'With provenance',
    without: 'Without provenance',
    unknown: 'Unknown',
    share: 'Share with provenance',
    notCounted: 'Not counted',
    countedSince: 'More has changed than can be counted: provenance before this time is left out:',
  },
  artifacts: {
    title: 'Compliance of what ran',
    intro:
      'The same artifacts by the verdict of the time: whether they were compliant by the policies of their environment. An artifact ' +
      'in an environment without a policy is counted apart, because nothing checked it.',
    name: 'Compliance of artifacts over time',
    table: 'Show the compliance of artifacts as a table',
    withoutPolicy: 'Without a policy',
    share: 'Share of compliant ones',
  },
  environments: {
    title: 'Compliance of environments',
    intro:
      'How many environments had which state at the end of each time span, from their first report on. A logical environment is ' +
      'counted by its members, an archived one until it was archived. The page of an environment shows what happened in between.',
    name: 'Compliance of environments over time',
    table: 'Show the compliance of environments as a table',
    share: 'Share of compliant ones',
    notAll: 'There are more than 500 environments: only the newest ones are counted.',
  },
  nothing: 'Nothing was reported in this period',
  nothingHint: 'Coverage is known from the first report of an environment on.',
  at: 'At',
  total: 'All',
  noReports: 'No reports yet',
  noShare: 'Nothing ran',
  part: (count: number, name: string) => `${count.toLocaleString()} ${name.toLowerCase()}`,
  bar: (time: string, total: number, noun: string, parts: string) =>
    `${time}: ${formatCount(total, noun)}${parts === '' ? '' : `: ${parts}`}`,
  barWithout: (time: string) => `${time}: no reports yet`,
  label: (name: string, latest: string) => `${name}. ${latest}.`,
}
