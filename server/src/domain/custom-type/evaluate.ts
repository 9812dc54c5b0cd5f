// The verdict on a custom attestation: every rule must return exactly one value, `true`. A rule that fails, is
// stopped or returns anything else is not satisfied, and its reason explains why.

export type RuleOutcome = { ok: true; values: readonly unknown[] } | { ok: false; reason: string }

export interface EvaluatedRule {
  rule: string
  satisfied: boolean
  reason?: string
}

export interface CustomVerdict {
  is_compliant: boolean
  expected: string
  found: string
  rules: EvaluatedRule[]
}

const MAX_SHOWN_CHARACTERS = 100
const MAX_REASONS = 5

export function evaluateRules(outcomes: readonly { rule: string; outcome: RuleOutcome }[]): CustomVerdict {
  const rules = outcomes.map(({ rule, outcome }) => evaluateRule(rule, outcome))
  const failed = rules.filter(({ satisfied }) => !satisfied)
  return {
    is_compliant: failed.length === 0,
    expected: rules.length === 0 ? 'data that fits the type' : `true from ${formatCount(rules.length)}`,
    found: describeResult(rules, failed),
    rules,
  }
}

function evaluateRule(rule: string, outcome: RuleOutcome): EvaluatedRule {
  if (!outcome.ok) return { rule, satisfied: false, reason: outcome.reason }
  if (outcome.values.length === 1 && outcome.values[0] === true) return { rule, satisfied: true }
  const values = outcome.values.map(value => JSON.stringify(value)).join(', ')
  return { rule, satisfied: false, reason: `yields ${cut(values) || 'nothing'}` }
}

function describeResult(rules: readonly EvaluatedRule[], failed: readonly EvaluatedRule[]): string {
  if (rules.length === 0) return 'data that fits the type'
  if (failed.length === 0) return `true from ${formatCount(rules.length)}`
  const reasons = failed.slice(0, MAX_REASONS).map(({ rule, reason }) => `${cut(rule)} ${reason}`)
  const more = failed.length > MAX_REASONS ? `; and ${failed.length - MAX_REASONS} more` : ''
  return `true from ${rules.length - failed.length} of ${formatCount(rules.length)}: ${reasons.join('; ')}${more}`
}

function formatCount(rules: number): string {
  return rules === 1 ? '1 rule' : `${rules} rules`
}

/** Cuts long text; drops half a surrogate pair, which is not valid text. */
function cut(text: string): string {
  if (text.length <= MAX_SHOWN_CHARACTERS) return text
  return `${text.slice(0, MAX_SHOWN_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
}
