// The type `snyk`: a vulnerability scan, with the number of findings per severity and, optionally, the findings.
import { type Static, Type } from 'typebox'
import { about, Closed, Described, FreeText, LooseAddress } from '../../schema.ts'
import { type AttestationVerdict, defineAttestationType } from '../define-type.ts'
import { Count, MAX_ITEMS } from '../fields.ts'
import { sum } from '../phrases.ts'

const SnykFinding = Closed('SnykFinding', {
  id: Described(FreeText, 'Id of the finding in the vulnerability database', 'VULN-1001'),
  message: Described(FreeText, 'Description of the finding', 'Prototype pollution in a dependency'),
  locations: Type.Optional(
    Type.Array(
      Closed('SnykLocation', {
        uri: LooseAddress(65_536, about('File that contains the finding', 'package-lock.json')),
        lines: Type.Optional(Type.Unknown(about('Lines in the file', 12))),
      }),
      about('Locations in the source'),
    ),
  ),
  priority_score: Type.Optional(Type.Unknown(about('Priority, as rated by the tool', 640))),
})
const SnykFindings = Type.Optional(
  Type.Unsafe<Static<typeof SnykFinding>[] | null>({
    type: ['array', 'null'],
    items: SnykFinding,
    maxItems: MAX_ITEMS,
  }),
)

const SnykRun = Closed('SnykRun', {
  high_count: Described(Count, 'Number of findings of high severity', 0),
  medium_count: Described(Count, 'Number of findings of medium severity', 1),
  low_count: Described(Count, 'Number of findings of low severity', 4),
  high: Described(SnykFindings, 'The findings of high severity; null if not listed', null),
  medium: Described(SnykFindings, 'The findings of medium severity; null if not listed', null),
  low: Described(SnykFindings, 'The findings of low severity; null if not listed', null),
})

export const snyk = defineAttestationType({
  name: 'snyk',
  subject: 'a vulnerability scan',
  summary:
    'Compliant when there is no finding of any severity; a listed finding counts even if the count does not include it',
  fields: {
    snyk_results: Closed(
      'SnykResults',
      {
        schema_version: Type.Integer({ minimum: 1, ...about('Version of the results format', 1) }),
        tool: Closed(
          'SnykTool',
          {
            name: Described(FreeText, 'Name of the tool', 'scanner'),
            version: Type.Optional(Described(FreeText, 'Version of the tool', '1.1293.0')),
          },
          about('The scanner'),
        ),
        results: Type.Array(SnykRun, {
          maxItems: MAX_ITEMS,
          description: 'One entry for each run of the scanner',
        }),
      },
      about("Scan results, in the format of the scanner's command line"),
    ),
  },
  returned_as: { snyk_results: 'processed_snyk_results' },
  evaluate: ({ snyk_results }) => evaluateFindings(snyk_results.results),
  example: {
    attestation_name: 'vulnerability-scan',
    snyk_results: {
      schema_version: 1,
      tool: { name: 'Snyk Open Source', version: '1.1300.0' },
      results: [
        {
          high_count: 0,
          medium_count: 1,
          low_count: 0,
          medium: [
            {
              id: 'SNYK-JS-EXAMPLE-1234567',
              message: 'Regular expression denial of service',
              locations: [{ uri: 'package-lock.json' }],
            },
          ],
        },
      ],
    },
  },
  command: { snyk_results: 'YOUR_SCAN_RESULTS' },
  arguments: ['snyk', '--scan-results', 'YOUR_SNYK_RESULTS.sarif'],
})

function evaluateFindings(runs: readonly Static<typeof SnykRun>[]): AttestationVerdict {
  const high = sum(runs.map(run => countFindings(run.high_count, run.high)))
  const medium = sum(runs.map(run => countFindings(run.medium_count, run.medium)))
  const low = sum(runs.map(run => countFindings(run.low_count, run.low)))
  return {
    is_compliant: high + medium + low === 0,
    expected: 'no vulnerability of any severity',
    found:
      high + medium + low === 0
        ? 'no vulnerability'
        : `vulnerabilities: ${high} high, ${medium} medium, ${low} low`,
  }
}

/** A listed finding counts even if the sender's own count leaves it out. */
function countFindings(count: number, listed: readonly unknown[] | null | undefined): number {
  return Math.max(count, listed?.length ?? 0)
}
