// CTRF, the JSON format for test results from any tool: totals, and the tests that did not pass.
import type { EvidenceFile } from './evidence-file.ts'
import { type Finding, makeFindingList } from './findings.ts'
import { readJson } from './json-file.ts'
import {
  expectObject,
  failAt,
  getDeepField,
  getField,
  type JsonNode,
  listItems,
  readCount,
  readOptionalCount,
  readOptionalNumber,
  readOptionalText,
  readText,
} from './json-node.ts'
import { describeCounts, describeScan, type JsonSchema, type Preset } from './preset.ts'
import { cutText } from './text.ts'

const MAX_TOOL = 200
const STATUSES = ['failed', 'other', 'pending', 'skipped', 'passed'] as const
type Status = (typeof STATUSES)[number]

/** The statuses of tests that are listed. */
const NOT_PASSED = ['failed', 'other'] as const

export interface CtrfSummary {
  tool: string
  tool_version: string | null
  /**
   * The higher of two numbers for each status: the one in the report's summary, and the number of tests with
   * that status.
   */
  totals: Record<Status | 'tests', number>
  /** From the start to the end of the run; null if the report does not contain it. */
  duration_ms: number | null
  /** Tests that failed, or have a status unknown to CTRF. */
  findings: Finding[]
  truncated: number
}

export function readCtrf(file: EvidenceFile): CtrfSummary {
  const results = expectObject(getField(readJson(file), 'results'), 'the results of a CTRF report')
  const summary = expectObject(getField(results, 'summary'), 'the summary')
  const list = makeFindingList(STATUSES)
  const findings = makeFindingList(NOT_PASSED)
  const tests = listItems(getField(results, 'tests'), 'the tests')
  for (const test of tests) {
    const finding = readTest(test)
    list.add(finding)
    const severity = NOT_PASSED.find(status => status === finding.severity)
    if (severity) findings.add({ ...finding, severity })
  }
  const counted = list.getCounts()
  const version = readOptionalText(getDeepField(results, 'tool', 'version'), 'the version of the tool')
  const declared = (name: string) => readOptionalCount(getField(summary, name), `the number of ${name} tests`)
  return {
    tool: cutText(readText(getDeepField(results, 'tool', 'name'), 'the name of the tool'), MAX_TOOL),
    tool_version: version === undefined ? null : cutText(version, MAX_TOOL),
    totals: {
      tests: Math.max(readCount(getField(summary, 'tests'), 'the number of tests'), tests.length),
      passed: Math.max(declared('passed'), counted.passed),
      failed: Math.max(declared('failed'), counted.failed),
      skipped: Math.max(declared('skipped'), counted.skipped),
      pending: Math.max(declared('pending'), counted.pending),
      other: Math.max(declared('other'), counted.other),
    },
    duration_ms: readDuration(summary),
    ...findings.cut(),
  }
}

function readTest(test: JsonNode) {
  const status = getField(test, 'status')
  return {
    id: readText(getField(test, 'name'), 'the name of the test'),
    severity: STATUSES.find(each => each === status.value) ?? failAt(status, `one of ${STATUSES.join(', ')}`),
    title: readOptionalText(getField(test, 'message'), 'the message'),
    location: readOptionalText(getField(test, 'filePath'), 'the path of the file'),
  }
}

/** Epoch milliseconds; a run without usable times has no duration. */
function readDuration(summary: JsonNode): number | null {
  const start = readOptionalNumber(getField(summary, 'start'), 'the start')
  const stop = readOptionalNumber(getField(summary, 'stop'), 'the end')
  const duration_ms = start === undefined || stop === undefined ? -1 : stop - start
  return duration_ms >= 0 && Number.isFinite(duration_ms) ? duration_ms : null
}

/** Like the schema of a scan, with totals instead of counts. */
function describeTests(): JsonSchema {
  const schema = describeScan(NOT_PASSED, {
    totals: describeCounts(['tests', ...STATUSES]),
    duration_ms: { type: ['number', 'null'], minimum: 0 },
  })
  const { counts: _counts, total: _total, ...properties } = schema.properties as JsonSchema
  return { ...schema, properties, required: Object.keys(properties) }
}

export const CTRF_PRESET: Preset = {
  name: 'ctrf',
  description: 'Results of tests in CTRF: compliant if there are tests, and none failed',
  schema: describeTests(),
  rules: ['.totals.tests > 0', '.totals.failed == 0', '.totals.other == 0'],
  summary: [
    { name: 'Tool', expression: '.tool' },
    ...['tests', ...STATUSES].map(name => ({
      name: name.charAt(0).toUpperCase() + name.slice(1),
      expression: `.totals.${name}`,
    })),
  ],
}
