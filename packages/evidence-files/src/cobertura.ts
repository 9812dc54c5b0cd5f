// Cobertura XML, the coverage report that most tools can write: line and branch rates.
import type { EvidenceFile } from './evidence-file.ts'
import { COUNT, describeObject, type Preset, RATE, TEXT, TEXT_OR_NULL } from './preset.ts'
import { EvidenceProblem } from './problem.ts'
import { cutText, quote } from './text.ts'
import { readXml, type XmlElement } from './xml.ts'

const MAX_FILES = 100
const MAX_KEPT_FILES = 100_000
const MAX_NAME = 500
const MAX_CONDITION = 100

export interface CoberturaSummary {
  tool: string
  tool_version: string | null
  line_rate: number
  /** null if the tool measures no branches. */
  branch_rate: number | null
  totals: {
    lines_covered: number
    lines_valid: number
    branches_covered: number
    branches_valid: number
    classes: number
  }
  /** The classes with the lowest rates. */
  findings: { file: string; line_rate: number }[]
  truncated: number
}

interface Draft {
  file: string
  root: XmlElement | undefined
  lines_covered: number
  lines_valid: number
  branches_covered: number
  branches_valid: number
  classes: number
  incomplete: number
  findings: { file: string; line_rate: number }[]
}

export function readCobertura(file: EvidenceFile): CoberturaSummary {
  const draft: Draft = {
    file: file.name,
    root: undefined,
    lines_covered: 0,
    lines_valid: 0,
    branches_covered: 0,
    branches_valid: 0,
    classes: 0,
    incomplete: 0,
    findings: [],
  }
  // Most tools write Cobertura's document type, which nobody needs to fetch.
  readXml(
    file,
    { max_text: 0, accepts_doctype_reference: true },
    {
      open: (element, path) => openElement(draft, element, path),
    },
  )
  const { root } = draft
  if (!root) throw new EvidenceProblem(file.name, undefined, 'expected the element <coverage>.')
  return summarize(draft, root)
}

function openElement(draft: Draft, element: XmlElement, path: readonly string[]): void {
  const { name, line } = element
  if (path.length === 0) {
    if (name !== 'coverage') {
      const sentence = `expected the element <coverage> of a Cobertura report, found <${quote(name)}>.`
      throw new EvidenceProblem(draft.file, `line ${line}`, sentence)
    }
    draft.root = element
  } else if (name === 'class') addClass(draft, element)
  // The lines of methods are also lines of their class.
  else if (name === 'line' && !path.includes('methods')) addLine(draft, element)
}

function addClass(draft: Draft, element: XmlElement): void {
  draft.classes++
  const line_rate = readRate(draft, element, 'line-rate')
  if (line_rate === undefined || line_rate === 1) return
  draft.incomplete++
  const { attributes } = element
  const file = cutText(attributes.get('filename') ?? attributes.get('name') ?? '', MAX_NAME)
  if (draft.findings.length < MAX_KEPT_FILES) draft.findings.push({ file, line_rate })
}

function addLine(draft: Draft, element: XmlElement): void {
  draft.lines_valid++
  if ((readCount(draft, element, 'hits') ?? 0) > 0) draft.lines_covered++
  const condition = element.attributes.get('condition-coverage')?.slice(0, MAX_CONDITION) ?? ''
  const match = /\((\d{1,9})\/(\d{1,9})\)/.exec(condition)
  draft.branches_covered += Number(match?.[1] ?? 0)
  draft.branches_valid += Number(match?.[2] ?? 0)
}

function summarize(draft: Draft, root: XmlElement): CoberturaSummary {
  const declare = (attribute: string, counted: number) => readCount(draft, root, attribute) ?? counted
  const totals = {
    lines_covered: declare('lines-covered', draft.lines_covered),
    lines_valid: declare('lines-valid', draft.lines_valid),
    branches_covered: declare('branches-covered', draft.branches_covered),
    branches_valid: declare('branches-valid', draft.branches_valid),
    classes: draft.classes,
  }
  const line_rate = readRate(draft, root, 'line-rate')
  if (line_rate === undefined) {
    throw new EvidenceProblem(
      draft.file,
      `line ${root.line}`,
      'expected the attribute line-rate of <coverage>.',
    )
  }
  const branch_rate = readRate(draft, root, 'branch-rate') ?? null
  const findings = draft.findings.toSorted((a, b) => a.line_rate - b.line_rate).slice(0, MAX_FILES)
  const version = root.attributes.get('version')
  return {
    tool: 'cobertura',
    tool_version: version ? cutText(version, MAX_NAME) : null,
    line_rate,
    // Tools without branches write a rate of 0 or 1.
    branch_rate: totals.branches_valid === 0 ? null : branch_rate,
    totals,
    findings,
    truncated: draft.incomplete - findings.length,
  }
}

function readRate(draft: Draft, element: XmlElement, attribute: string): number | undefined {
  const text = element.attributes.get(attribute)?.trim() ?? ''
  if (text === '') return undefined
  const rate = Number(text)
  return rate >= 0 && rate <= 1 ? rate : failAt(draft, element, attribute, 'a number from 0 to 1', text)
}

function readCount(draft: Draft, element: XmlElement, attribute: string): number | undefined {
  const text = element.attributes.get(attribute)?.trim() ?? ''
  if (text === '') return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : failAt(draft, element, attribute, 'a whole number', text)
}

function failAt(
  { file }: Draft,
  { name, line }: XmlElement,
  attribute: string,
  what: string,
  text: string,
): never {
  const sentence = `expected ${what} in ${attribute} of <${name}>, found ${quote(text)}.`
  throw new EvidenceProblem(file, `line ${line}`, sentence)
}

export const COBERTURA_PRESET: Preset = {
  name: 'cobertura',
  description: 'Test coverage in the format of Cobertura: compliant from 80 % of the lines on',
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...describeObject({
      tool: TEXT,
      tool_version: TEXT_OR_NULL,
      line_rate: RATE,
      branch_rate: { ...RATE, type: ['number', 'null'] },
      totals: describeObject({
        lines_covered: COUNT,
        lines_valid: COUNT,
        branches_covered: COUNT,
        branches_valid: COUNT,
        classes: COUNT,
      }),
      findings: { type: 'array', items: describeObject({ file: TEXT, line_rate: RATE }) },
      truncated: COUNT,
    }),
  },
  rules: ['.totals.lines_valid > 0', '.line_rate >= 0.8'],
  summary: [
    { name: 'Lines', expression: '.line_rate' },
    { name: 'Branches', expression: '.branch_rate' },
  ],
}
