// JUnit XML, from one or several files: one entry for each outermost suite, as the API expects it. Numbers
// come from the test cases, as with other clients; if a suite's attributes have a higher number, that one
// counts.
import type { EvidenceFile } from './evidence-file.ts'
import { EvidenceProblem } from './problem.ts'
import { cutText, quote } from './text.ts'
import { parseEpochSeconds } from './timestamps.ts'
import { readXml, type XmlElement } from './xml.ts'

/** The limit of the API. */
const MAX_SUITES = 10_000
/** Request data is limited to 1 MiB; this leaves room for its other fields. */
const MAX_RESULTS_BYTES = 960 * 1024
const MAX_NAME = 1_000
const MAX_WARNINGS = 20
const MICROSECONDS = 1_000_000

interface JunitSuite {
  name: string
  failures: number
  errors: number
  skipped: number
  total: number
  /** In seconds. */
  duration: number
  /** In seconds since 1970. */
  timestamp?: number
}

export interface JunitReport {
  junit_results: JunitSuite[]
  /** The files that contain suites. */
  files: string[]
  /** XML files without a suite. */
  ignored_files: string[]
  /** Unreadable parts that do not affect the verdict, such as the format of a time. */
  warnings: string[]
}

interface Counts {
  failures: number
  errors: number
  skipped: number
  total: number
}

/** A suite whose end has not been reached yet. */
interface OpenSuite {
  name: string
  timestamp: number | undefined
  /** Counted from the test cases. */
  counted: Counts
  /** Stated by the attributes. */
  declared: Counts
  duration_us: number
  declared_duration_us: number
}

interface OpenCase {
  duration_us: number
  /** The names of its child elements. */
  elements: Set<string>
  is_not_run: boolean
}

/** The result of reading a file. */
interface Draft {
  file: string
  suites: JunitSuite[]
  warnings: string[]
  /** The element around all suites, which some tools write. */
  root: OpenSuite | undefined
  /** The open suites, outermost first. */
  open: OpenSuite[]
  open_case: OpenCase | undefined
}

export function readJunit(files: Iterable<EvidenceFile>): JunitReport {
  const report: JunitReport = { junit_results: [], files: [], ignored_files: [], warnings: [] }
  for (const file of files) {
    const { suites, warnings } = readSuites(file)
    const list = suites.length === 0 ? report.ignored_files : report.files
    list.push(file.name)
    for (const suite of suites) report.junit_results.push(suite)
    report.warnings.push(...warnings.slice(0, MAX_WARNINGS - report.warnings.length))
    if (report.junit_results.length > MAX_SUITES) {
      const expected = `expected at most ${MAX_SUITES} test suites in all files together. Attest them in parts.`
      throw new EvidenceProblem(file.name, undefined, expected)
    }
  }
  ensureSmallEnough(report)
  if (report.junit_results.length === 0) {
    const names = cutText(report.ignored_files.join(', '), MAX_NAME) || 'JUnit results'
    throw new EvidenceProblem(names, undefined, 'expected at least one <testsuite>, found none.')
  }
  return report
}

function ensureSmallEnough({ junit_results, files }: JunitReport): void {
  const bytes = Buffer.byteLength(JSON.stringify(junit_results))
  if (bytes <= MAX_RESULTS_BYTES) return
  const expected = `expected results of at most ${MAX_RESULTS_BYTES} bytes, found ${bytes}: the names of the suites are long. Attest them in parts.`
  throw new EvidenceProblem(cutText(files.join(', '), MAX_NAME), undefined, expected)
}

function readSuites(file: EvidenceFile): Draft {
  const { name } = file
  const draft: Draft = {
    file: name,
    suites: [],
    warnings: [],
    root: undefined,
    open: [],
    open_case: undefined,
  }
  const options = { max_text: 0, accepts_doctype_reference: false }
  readXml(file, options, {
    open: (element, path) => openElement(draft, element, path),
    close: (closed, path) => closeElement(draft, closed, path),
  })
  return draft
}

function openElement(draft: Draft, element: XmlElement, path: readonly string[]): void {
  const { name, attributes } = element
  if (draft.open_case) {
    if (path.at(-1) === 'testcase') draft.open_case.elements.add(name)
  } else if (name === 'testsuites' && path.length === 0) draft.root = makeSuite(draft, element)
  else if (name === 'testsuite') draft.open.push(makeSuite(draft, element))
  else if (name === 'testcase') {
    draft.open_case = {
      duration_us: readDuration(draft, element),
      elements: new Set(),
      is_not_run: /^(?:notrun|skipped|disabled)$/i.test(attributes.get('status') ?? ''),
    }
  }
}

function closeElement(draft: Draft, name: string, path: readonly string[]): void {
  const { open_case } = draft
  if (open_case) {
    if (name !== 'testcase' || path.includes('testcase')) return
    draft.open_case = undefined
    const suite = draft.open.at(-1) ?? draft.root
    if (suite) countCase(suite, open_case)
  } else if (name === 'testsuite') closeSuite(draft)
  else if (name === 'testsuites' && path.length === 0) closeRoot(draft)
}

function makeSuite(draft: Draft, element: XmlElement): OpenSuite {
  return {
    name: cutText(element.attributes.get('name') ?? '', MAX_NAME),
    timestamp: readTimestamp(draft, element),
    counted: { failures: 0, errors: 0, skipped: 0, total: 0 },
    declared: {
      failures: readDeclared(draft, element, 'failures'),
      errors: readDeclared(draft, element, 'errors'),
      skipped: readDeclared(draft, element, 'skipped'),
      total: readDeclared(draft, element, 'tests'),
    },
    duration_us: 0,
    declared_duration_us: readDuration(draft, element),
  }
}

function countCase(suite: OpenSuite, { duration_us, elements, is_not_run }: OpenCase): void {
  const { counted } = suite
  counted.total++
  suite.duration_us += duration_us
  if (elements.has('error')) counted.errors++
  else if (elements.has('failure')) counted.failures++
  else if (elements.has('skipped') || is_not_run) counted.skipped++
}

/** Adds the innermost suite to the one around it, or to the results if there is none. */
function closeSuite(draft: Draft): void {
  const suite = draft.open.pop()
  if (!suite) return
  const higher = combineCounts(suite.counted, suite.declared, Math.max)
  const duration_us = suite.counted.total === 0 ? suite.declared_duration_us : suite.duration_us
  const outer = draft.open.at(-1)
  if (outer) {
    outer.counted = combineCounts(outer.counted, higher, (a, b) => a + b)
    outer.duration_us += duration_us
  } else draft.suites.push(toResult(suite, higher, duration_us))
}

/** Failures outside of all suites, and test cases directly below the root, become a separate suite. */
function closeRoot(draft: Draft): void {
  const { root } = draft
  if (!root) return
  const inside = draft.suites.reduce<Counts>((sum, suite) => combineCounts(sum, suite, (a, b) => a + b), {
    failures: 0,
    errors: 0,
    skipped: 0,
    total: 0,
  })
  const undeclared = combineCounts(root.declared, inside, (a, b) => Math.max(0, a - b))
  const { failures, errors } = combineCounts(root.counted, undeclared, Math.max)
  const total = Math.max(root.counted.total, failures + errors + root.counted.skipped)
  if (total === 0) return
  const counts = { failures, errors, skipped: root.counted.skipped, total }
  draft.suites.push(toResult({ ...root, name: root.name || 'testsuites' }, counts, root.duration_us))
}

function combineCounts(a: Counts, b: Counts, combine: (a: number, b: number) => number): Counts {
  return {
    failures: combine(a.failures, b.failures),
    errors: combine(a.errors, b.errors),
    skipped: combine(a.skipped, b.skipped),
    total: combine(a.total, b.total),
  }
}

function toResult({ name, timestamp }: OpenSuite, counts: Counts, duration_us: number): JunitSuite {
  const duration = duration_us / MICROSECONDS
  return { name, ...counts, duration, ...(timestamp === undefined ? {} : { timestamp }) }
}

/** This attribute decides the verdict, so anything but a number is refused. */
function readDeclared({ file }: Draft, { name, attributes, line }: XmlElement, attribute: string): number {
  const text = attributes.get(attribute)?.trim() ?? ''
  if (text === '') return 0
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value
  const where = `${attribute} of <${name}>`
  throw new EvidenceProblem(file, `line ${line}`, `expected a number in ${where}, found ${quote(text)}.`)
}

/** In whole microseconds: sums of decimal fractions would not be exact. */
function readDuration(draft: Draft, element: XmlElement): number {
  const text = element.attributes.get('time')?.trim() ?? ''
  if (text === '') return 0
  // Some tools write 1,234.5 for thousands.
  const seconds = Number(text.replace(/s$/, '').replaceAll(/,(?=\d{3}(?:[,.]|$))/g, ''))
  const microseconds = Math.round(seconds * MICROSECONDS)
  if (Number.isSafeInteger(microseconds)) return microseconds
  warn(draft, element, `the time ${quote(text)} is not a number of seconds and counts as 0.`)
  return 0
}

function readTimestamp(draft: Draft, element: XmlElement): number | undefined {
  const text = element.attributes.get('timestamp')?.trim() ?? ''
  const seconds = text === '' ? undefined : parseEpochSeconds(text)
  if (text !== '' && seconds === undefined) {
    warn(draft, element, `the timestamp ${quote(text)} is not like 2026-01-02T03:04:05Z and is left out.`)
  }
  return seconds
}

function warn({ file, warnings }: Draft, { line }: XmlElement, sentence: string): void {
  if (warnings.length < MAX_WARNINGS) warnings.push(`${file}, line ${line}: ${sentence}`)
}
