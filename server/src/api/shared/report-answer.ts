// The response to a report of an environment: OK, or that it came too late to become the present.
import { type Static, Type } from 'typebox'
import { about, Closed, Ok, Time } from './wire.ts'

const LateReport = Closed('LateReport', {
  late: Type.Unsafe<true>({
    const: true,
    ...about('The report is older than the newest one: it is stored and changes nothing', true),
  }),
  observed_at: Time('Time at which the reporter saw this'),
  newest_at: Time('Time of the newest report'),
})

export const ReportAnswer = Type.Unsafe<Static<typeof Ok> | Static<typeof LateReport>>({
  anyOf: [Ok, LateReport],
  title: 'ReportAnswer',
  description: 'OK, or that the report is late',
})
export type ReportAnswer = Static<typeof ReportAnswer>
