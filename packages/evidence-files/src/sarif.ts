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

export const SECURITY_LEVELS = ['critical', 'high', 'medium', 'low', 'none'] as const
export type SecurityLevel = (typeof SECURITY_LEVELS)[number]

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
  /** From `security-severity`, as code hosts use it; undefined if the tool gives none. */
  security: SecurityLevel | undefined
  /** Whether neither the result nor its rule says how severe it is. */
  is_unrated: boolean
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

/** A part of the tool, with the rules that give a level to results without one. */
interface Component {
  name: string | undefined
  guid: string | undefined
  by_id: Map<string, JsonNode>
  by_index: JsonNode[]
}

interface Tool {
  driver: Component
  /** Plug-ins and packs of rules. */
  extensions: Component[]
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
  const extensions = listOptionalItems(getDeepField(run, 'tool', 'extensions'), 'the extensions of the tool')
  const tool = { driver: readComponent(driver), extensions: extensions.map(readComponent) }
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
    results: results.map(result => readResult(result, tool)),
  }
}

function readComponent(component: JsonNode): Component {
  const by_index = listOptionalItems(getField(component, 'rules'), 'rules')
  const by_id = new Map<string, JsonNode>()
  for (const rule of by_index) by_id.set(readText(getField(rule, 'id'), 'the id of the rule'), rule)
  return {
    name: readOptionalText(getField(component, 'name'), 'the name'),
    guid: readOptionalText(getField(component, 'guid'), 'the guid'),
    by_id,
    by_index,
  }
}

function readResult(result: JsonNode, tool: Tool): SarifResult {
  expectObject(result, 'a result')
  const rule = findRule(result, tool)
  const level = readLevel(result, rule)
  const security = readSecurity(result) ?? (rule && readSecurity(rule))
  return {
    rule_id: readRuleId(result) ?? (rule ? readText(getField(rule, 'id'), 'the id of the rule') : ''),
    level: level ?? 'warning',
    message: readMessage(result),
    locations: readLocations(result),
    security,
    is_unrated: level === undefined && security === undefined,
    is_suppressed: isSuppressed(result),
    is_absent: getField(result, 'baselineState').value === 'absent',
    priority_score: readOptionalNumber(getDeepField(result, 'properties', 'priorityScore'), 'the priority'),
  }
}

const readRuleId = (result: JsonNode): string | undefined =>
  readOptionalText(getField(result, 'ruleId'), 'the id of the rule') ??
  readOptionalText(getDeepField(result, 'rule', 'id'), 'the id of the rule')

/** An index is exact where ids repeat, but only if the id does not contradict it. */
function findRule(result: JsonNode, tool: Tool): JsonNode | undefined {
  const id = readRuleId(result)
  const index = getField(result, 'ruleIndex').value ?? getDeepField(result, 'rule', 'index').value
  const reference = getDeepField(result, 'rule', 'toolComponent')
  // A rule of an extension is not a rule of the driver, even if the index fits.
  const named = isObject(reference) ? findComponent(reference, tool) : tool.driver
  const indexed = typeof index === 'number' ? named?.by_index[index] : undefined
  if (id === undefined || (indexed && isRuleOf(indexed, id))) return indexed
  const components = [...(named ? [named] : []), tool.driver, ...tool.extensions]
  return (
    findFirst(components, ({ by_id }) => by_id.get(id)) ??
    findFirst(components, ({ by_id }) => by_id.get(getParent(id)))
  )
}

/** Undefined if the run does not describe it. */
function findComponent(reference: JsonNode, { extensions }: Tool): Component | undefined {
  const index = getField(reference, 'index').value
  if (typeof index === 'number') return extensions[index]
  return extensions.find(
    ({ name, guid }) =>
      (guid !== undefined && guid === getField(reference, 'guid').value) ||
      (name !== undefined && name === getField(reference, 'name').value),
  )
}

function findFirst<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** `a/b` may be a part of the rule `a`. */
const getParent = (id: string): string => id.replace(/\/[^/]*$/, '')
const isRuleOf = (rule: JsonNode, id: string): boolean =>
  [id, getParent(id)].includes(String(getField(rule, 'id').value))

/** The level of the result, else of its rule; a result that is not a failure has none. Undefined if nobody says it. */
function readLevel(result: JsonNode, rule: JsonNode | undefined): SarifLevel | undefined {
  const own = getField(result, 'level')
  const kind = readOptionalText(getField(result, 'kind'), 'the kind of the result') ?? 'fail'
  if (!isMissing(own)) return toLevel(own)
  if (kind !== 'fail') return 'none'
  const default_level = rule && getDeepField(rule, 'defaultConfiguration', 'level')
  return default_level === undefined || isMissing(default_level) ? undefined : toLevel(default_level)
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

/** Some tools write a word instead of a score. */
const WORDS: Record<string, SecurityLevel> = {
  critical: 'critical',
  high: 'high',
  medium: 'medium',
  moderate: 'medium',
  low: 'low',
  none: 'none',
}

function readSecurity(node: JsonNode): SecurityLevel | undefined {
  const severity = getDeepField(node, 'properties', 'security-severity')
  if (isMissing(severity) || severity.value === '') return undefined
  const word = WORDS[String(severity.value).toLowerCase()]
  if (word !== undefined) return word
  const score = Number(severity.value)
  return score >= 0 && score <= 10 ? toBand(score) : failAt(severity, 'a number from 0 to 10, or a severity')
}

/** The CVSS severity bands. */
function toBand(score: number): SecurityLevel {
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  if (score >= 4) return 'medium'
  return score > 0 ? 'low' : 'none'
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
