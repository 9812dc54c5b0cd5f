// SARIF 2.1.0: the part that every tool writes, parsed once for both summaries (sarif-summary.ts and
// snyk.ts).
import {
  expectObject,
  failAt,
  getDeepField,
  getField,
  isMissing,
  isObject,
  type JsonNode,
  listItems,
  listOptionalItems,
  readOptionalBoolean,
  readOptionalNumber,
  readOptionalText,
  readText,
} from './json-node.ts'

export const SARIF_LEVELS = ['error', 'warning', 'note', 'none'] as const
export type SarifLevel = (typeof SARIF_LEVELS)[number]

interface SarifLocation {
  uri: string
  /** A line, or first and last line with a dash; undefined if the tool gives none. */
  lines: string | undefined
}

export interface SarifResult {
  rule_id: string
  level: SarifLevel
  message: string
  locations: SarifLocation[]
  /** From 0 to 10, as code hosts use it; undefined if the tool gives none. */
  security_severity: number | undefined
  /** Whether somebody accepted the finding. */
  is_suppressed: boolean
  /** Whether the finding existed before and is gone now. */
  is_absent: boolean
  priority_score: number | undefined
}

export interface SarifRun {
  tool: string
  tool_version: string | undefined
  is_successful: boolean
  results: SarifResult[]
}

/** The rules of a run, which give a level to results without one. */
interface Rules {
  by_id: Map<string, JsonNode>
  by_index: JsonNode[]
}

export function readSarifRuns(root: JsonNode): SarifRun[] {
  expectObject(root, 'a SARIF log')
  const version = getField(root, 'version')
  if (version.value !== '2.1.0') failAt(version, "the SARIF version '2.1.0'")
  const runs = listItems(getField(root, 'runs'), 'the runs of the tool')
  if (runs.length === 0) failAt(getField(root, 'runs'), 'at least one run of the tool')
  return runs.map(readRun)
}

function readRun(run: JsonNode): SarifRun {
  const driver = expectObject(getDeepField(run, 'tool', 'driver'), 'the tool')
  const rules = readRules(driver)
  const version = getField(driver, 'version')
  const invocations = listOptionalItems(getField(run, 'invocations'), 'invocations')
  // A missing list means that the tool did not get as far as looking; an empty one means that it found
  // nothing.
  const results = listItems(getField(run, 'results'), 'the results, empty if there are none')
  return {
    tool: readText(getField(driver, 'name'), 'the name of the tool'),
    tool_version: readOptionalText(
      isMissing(version) ? getField(driver, 'semanticVersion') : version,
      'the version of the tool',
    ),
    is_successful: invocations.every(
      each =>
        readOptionalBoolean(getField(each, 'executionSuccessful'), 'whether the tool succeeded') ?? true,
    ),
    results: results.map(result => readResult(result, rules)),
  }
}

function readRules(driver: JsonNode): Rules {
  const by_index = listOptionalItems(getField(driver, 'rules'), 'rules')
  const by_id = new Map<string, JsonNode>()
  for (const rule of by_index) by_id.set(readText(getField(rule, 'id'), 'the id of the rule'), rule)
  return { by_id, by_index }
}

function readResult(result: JsonNode, rules: Rules): SarifResult {
  expectObject(result, 'a result')
  const rule = findRule(result, rules)
  const given_id =
    readOptionalText(getField(result, 'ruleId'), 'the id of the rule') ??
    readOptionalText(getDeepField(result, 'rule', 'id'), 'the id of the rule')
  return {
    rule_id: given_id ?? (rule ? readText(getField(rule, 'id'), 'the id of the rule') : ''),
    level: readLevel(result, rule),
    message: readMessage(result),
    locations: readLocations(result),
    security_severity: rule && readSecuritySeverity(rule),
    is_suppressed: isSuppressed(result),
    is_absent: getField(result, 'baselineState').value === 'absent',
    priority_score: readOptionalNumber(getDeepField(result, 'properties', 'priorityScore'), 'the priority'),
  }
}

function findRule(result: JsonNode, { by_id, by_index }: Rules): JsonNode | undefined {
  // A rule of an extension is not a rule of the driver, even if the index fits.
  if (isObject(getDeepField(result, 'rule', 'toolComponent'))) return undefined
  const id = getField(result, 'ruleId').value ?? getDeepField(result, 'rule', 'id').value
  const index = getField(result, 'ruleIndex').value ?? getDeepField(result, 'rule', 'index').value
  const indexed = typeof index === 'number' ? by_index[index] : undefined
  if (typeof id !== 'string') return indexed
  // `a/b` may be a part of the rule `a`.
  return by_id.get(id) ?? indexed ?? by_id.get(id.replace(/\/[^/]*$/, ''))
}

/** The level of the result, else of its rule, else `warning`; a result that is not a failure has none. */
function readLevel(result: JsonNode, rule: JsonNode | undefined): SarifLevel {
  const own = getField(result, 'level')
  const kind = readOptionalText(getField(result, 'kind'), 'the kind of the result') ?? 'fail'
  if (!isMissing(own)) return toLevel(own)
  if (kind !== 'fail') return 'none'
  const default_level = rule && getDeepField(rule, 'defaultConfiguration', 'level')
  return default_level === undefined || isMissing(default_level) ? 'warning' : toLevel(default_level)
}

function toLevel(node: JsonNode): SarifLevel {
  // Not in the standard, but written by some tools.
  if (node.value === 'info') return 'note'
  return SARIF_LEVELS.find(level => level === node.value) ?? failAt(node, `one of ${SARIF_LEVELS.join(', ')}`)
}

function readMessage(result: JsonNode): string {
  const message = getField(result, 'message')
  const text = readOptionalText(getField(message, 'text'), 'the message')
  return text ?? readOptionalText(getField(message, 'markdown'), 'the message') ?? ''
}

function readLocations(result: JsonNode): SarifLocation[] {
  return listOptionalItems(getField(result, 'locations'), 'locations').flatMap(location => {
    const physical = getField(location, 'physicalLocation')
    const uri = readOptionalText(getDeepField(physical, 'artifactLocation', 'uri'), 'the address of the file')
    return uri === undefined ? [] : [{ uri, lines: readLines(getField(physical, 'region')) }]
  })
}

function readLines(region: JsonNode): string | undefined {
  const first = readOptionalNumber(getField(region, 'startLine'), 'the first line')
  const last = readOptionalNumber(getField(region, 'endLine'), 'the last line')
  if (first === undefined) return undefined
  return last === undefined || last === first ? String(first) : `${first}-${last}`
}

function readSecuritySeverity(rule: JsonNode): number | undefined {
  const node = getDeepField(rule, 'properties', 'security-severity')
  if (isMissing(node)) return undefined
  const score = Number(node.value)
  return score >= 0 && score <= 10 ? score : failAt(node, 'a number from 0 to 10')
}

/** All reviews must have accepted it; a review without a status counts as accepted. */
function isSuppressed(result: JsonNode): boolean {
  const suppressions = listOptionalItems(getField(result, 'suppressions'), 'suppressions')
  return (
    suppressions.length > 0 &&
    suppressions.every(each => ['accepted', undefined, null].includes(getStatus(each)))
  )
}

const getStatus = (suppression: JsonNode): string | null | undefined =>
  getField(suppression, 'status').value as string | null | undefined
