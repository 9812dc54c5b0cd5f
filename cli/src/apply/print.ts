// Prints a plan as text and as JSON: what would be done, and which fields differ.
import { escapeControls } from '../print/table.ts'
import { nameResource } from './kinds.ts'
import type { Action, Difference, Step } from './plan.ts'

/** `planned` before the plan is applied, then the outcome of the step. */
export type Status = 'planned' | 'done' | 'failed' | 'not done'

const MARKS: Record<Action, string> = {
  create: '+',
  restore: '+',
  change: '~',
  unchanged: ' ',
  archive: '-',
  delete: '-',
}
const DONE: Record<Action, string> = {
  create: 'created',
  restore: 'restored',
  change: 'changed',
  unchanged: 'unchanged',
  archive: 'archived',
  delete: 'deleted',
}
const ACTIONS = Object.keys(DONE) as Action[]

export function toJson(steps: readonly Step[], statuses: readonly Status[]) {
  return {
    steps: steps.map(({ action, kind, name, place, differences }, index) => ({
      action,
      kind,
      name,
      status: statuses[index] ?? 'planned',
      file: place?.file ?? null,
      document: place?.document ?? null,
      differences,
    })),
  }
}

export function formatPlan(steps: readonly Step[]): string {
  const changing = steps.filter(isChange)
  const count = countActions(steps)
  if (changing.length === 0) return `Nothing to change: ${count('unchanged')} unchanged`
  const totals = ACTIONS.filter(action => count(action) > 0).map(action =>
    action === 'unchanged' ? `${count(action)} unchanged` : `${count(action)} to ${action}`,
  )
  return [...changing.flatMap(formatStep), totals.join(', ')].join('\n')
}

/** After the plan was applied, completely or in part. */
export function formatResult(steps: readonly Step[], statuses: readonly Status[]): string {
  const changing = steps.flatMap((step, index) => (isChange(step) ? [{ step, status: statuses[index] }] : []))
  if (changing.length === 0) return formatPlan(steps)
  const count = countActions(steps.filter((step, index) => !isChange(step) || statuses[index] === 'done'))
  const totals = ACTIONS.filter(action => count(action) > 0).map(action => `${count(action)} ${DONE[action]}`)
  const lines = changing.map(({ step: { action, kind, name }, status }) => {
    const what = nameResource(kind, name)
    return status === 'done'
      ? `${MARKS[action]} ${DONE[action]} ${what}`
      : `! ${status === 'failed' ? 'failed' : 'not done'}: ${action} ${what}`
  })
  return [...lines, totals.join(', ') || 'Nothing was changed'].map(escapeControls).join('\n')
}

export const isChange = ({ action }: Pick<Step, 'action'>): boolean => action !== 'unchanged'

const countActions = (steps: readonly Step[]) => (action: Action) =>
  steps.filter(step => step.action === action).length

function formatStep({ action, kind, name, place, differences }: Step): string[] {
  const from = place === undefined ? 'in no document' : `${place.file}, document ${place.document}`
  return [
    `${MARKS[action]} ${action} ${nameResource(kind, name)} (${from})`,
    ...differences.flatMap(formatDifference),
  ].map(escapeControls)
}

function formatDifference({ field, before, after }: Difference): string[] {
  if (!isLong(before) && !isLong(after))
    return [`    ${field}: ${formatValue(before)} → ${formatValue(after)}`]
  const changes = compareLines(toLines(before), toLines(after))
  return [`    ${field}:`, ...changes.map(line => `      ${line}`)]
}

const isLong = (value: unknown): boolean => toLines(value).length > 1

const toLines = (value: unknown): string[] =>
  typeof value === 'string' ? value.replace(/\n$/, '').split('\n') : formatValue(value).split('\n')

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value !== 'object') return JSON.stringify(value)
  const isShort = JSON.stringify(value).length <= 60
  return isShort ? JSON.stringify(value) : JSON.stringify(value, null, 2)
}

const CONTEXT_LINES = 2

/** The lines that remain after removing the common beginning and end. */
function compareLines(before: readonly string[], after: readonly string[]): string[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const unchanged = (lines: readonly string[]) => lines.map(line => `  ${line}`)
  return [
    ...unchanged(before.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...before.slice(start, before.length - end).map(line => `- ${line}`),
    ...after.slice(start, after.length - end).map(line => `+ ${line}`),
    ...unchanged(before.slice(before.length - end).slice(0, CONTEXT_LINES)),
  ].map(line => line.trimEnd())
}
