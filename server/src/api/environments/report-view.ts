// A report's statements about itself: its time, its sender, and whether it misses something.
import { type Static, Type } from 'typebox'
import { FINGERPRINT } from '../../domain/names.ts'
import type { ReportElement, ReportView } from '../../domain/snapshot/report.ts'
import { invalid } from '../../lib/errors.ts'
import { formatInput } from '../../lib/sentences.ts'
import { refuseWrongTime } from '../shared/collected.ts'
import { EXAMPLE_FINGERPRINT, EXAMPLE_TIME } from '../shared/examples.ts'
import { about, Closed, Ok, Time } from '../shared/wire.ts'

const MAX_ALTERNATES = 8
const MAX_MISSING = 1_000
const MAX_MISSING_LENGTH = 500

/** Belongs to each element. */
export const AlternateDigests = Type.Array(Type.String({ pattern: FINGERPRINT }), {
  maxItems: MAX_ALTERNATES,
  ...about(
    'Other fingerprints of the same artifact, such as those of an image for one platform and of its index. Only for an element with one digest',
    [EXAMPLE_FINGERPRINT],
  ),
})

export const Reporter = Closed(
  'Reporter',
  {
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      ...about('Name of the program that reports', 'waybill watch'),
    }),
    version: Type.Optional(Type.String({ maxLength: 100, ...about('Version of the program', '1.4.2') })),
    scope: Type.Optional(
      Type.String({ maxLength: 1_000, ...about('What it looks at', 'cluster main, all namespaces') }),
    ),
  },
  about('The program that sent the report'),
)

export const Missing = Type.Array(Type.String({ minLength: 1, maxLength: MAX_MISSING_LENGTH }), {
  maxItems: MAX_MISSING,
  ...about('What the reporter could not list, such as namespaces', ['namespace payments']),
})

export const VIEW_FIELDS = {
  observed_at: Type.Optional(
    Type.Number(
      about(
        'Time at which the reporter saw this, in epoch seconds, at most five minutes ahead of the service. A report that is older than the newest one is stored and changes nothing',
        EXAMPLE_TIME,
      ),
    ),
  ),
  reporter: Type.Optional(Reporter),
  is_partial: Type.Optional(
    Type.Boolean(
      about('Whether the reporter could not see everything. Nothing is treated as stopped then', false),
    ),
  ),
  missing: Type.Optional(Missing),
}
const Fields = Closed('ReportView', VIEW_FIELDS)

/** The body of a report. */
export interface SentReport extends Static<typeof Fields> {
  artifacts: ReportElement[]
}

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

export function readView(report: SentReport, now: Date): ReportView {
  const { observed_at, reporter, is_partial = false, missing } = report
  refuseWrongTime('observed_at', observed_at, now)
  if (missing && !is_partial)
    throw invalid({ missing: `Input is only allowed with is_partial true [input: ${formatInput(missing)}]` })
  refuseUnclearAlternates(report.artifacts)
  return {
    observed_at: observed_at === undefined ? null : new Date(observed_at * 1000),
    reporter: reporter ?? null,
    missing: is_partial ? [...new Set(missing)].sort() : null,
  }
}

/** With several digests it is unclear which of them the alternates belong to. */
function refuseUnclearAlternates(elements: readonly ReportElement[]): void {
  const unclear = elements.findIndex(
    ({ alternate_digests = [], digests }) =>
      alternate_digests.length > 0 && Object.keys(digests).length !== 1,
  )
  if (unclear < 0) return
  const found = Object.keys(elements[unclear]?.digests ?? {}).length
  throw invalid({
    [`artifacts[${unclear}].alternate_digests`]: `Input is only allowed for an element with one digest; report one element for each artifact [digests: ${found}]`,
  })
}
