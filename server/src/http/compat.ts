// The one place that knows the branded spellings of existing clients. What they send is read as the neutral word; what
// they compare is answered in their own. Nothing of it is in the document.

interface Renaming {
  neutral: string
  branded: string
}

/** The values of these fields, at the top of a body or among the query parameters, have two spellings. */
type Fields = Readonly<Record<string, Renaming>>

const APPS: Renaming = { neutral: 'cloudx-apps', branded: 'azure-apps' }
const ENVIRONMENT_TYPE: Fields = { type: APPS }

/** What is read, by operation. */
const INPUT: Readonly<Record<string, Fields>> = {
  putEnvironment: ENVIRONMENT_TYPE,
  listEnvironments: ENVIRONMENT_TYPE,
}

/** What a branded client is answered, by operation: it compares the value with the one it sent. */
const OUTPUT: Readonly<Record<string, Fields>> = {
  getEnvironment: ENVIRONMENT_TYPE,
  listEnvironments: ENVIRONMENT_TYPE,
}

const CHAT: Fields = { type: { neutral: 'CHAT', branded: 'SLACK' } }
const NOTIFICATIONS = '/organizations/{org}/environments_notifications'
const FLOW_NOTIFICATIONS = '/organizations/{org}/flows_notifications'
/** Operations that answer one of these records, a list or a page of them. */
const NOTIFICATION_RECORDS: ReadonlySet<string> = new Set([
  'listEnvironmentNotifications',
  'createEnvironmentNotification',
  'getEnvironmentNotification',
  'putEnvironmentNotification',
  'listFlowNotifications',
  'createFlowNotification',
  'getFlowNotification',
])
/** Operations that take and answer `targets`, each of which has a type with two spellings. */
const WITH_TARGETS: ReadonlySet<string> = new Set([
  ...NOTIFICATION_RECORDS,
  'putNotificationConfig',
  'getNotificationConfig',
])
const BRANDED_CLIENT = /^(Kosli|terraform-provider-kosli)\//

/** Keys that are answered in both spellings, to everybody, in the items of these operations' lists. */
export const BRANDED_KEYS: Readonly<Record<string, string>> = {
  container_task_context: 'ecs_context',
  serverless_run_context: 'cloud_run_context',
}
const WITH_BRANDED_KEYS: ReadonlySet<string> = new Set(['getSnapshot'])

/** The same for the records of notifications. */
export const BRANDED_RECORD_KEYS: Readonly<Record<string, string>> = {
  is_created_from_chat_app: 'is_created_from_slack_app',
}

const ARTIFACT = '/artifacts/{org}/{flow_name}'

/** Where existing clients find things, by the path they have here. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  [NOTIFICATIONS]: ['/actions/{org}', '/actions/{org}/environments'],
  [`${NOTIFICATIONS}/{number}`]: ['/actions/{org}/{number}'],
  [`${NOTIFICATIONS}/{number}/test`]: ['/actions/{org}/{number}/test'],
  [FLOW_NOTIFICATIONS]: ['/actions/{org}/flows'],
  [`${ARTIFACT}/fingerprint/{fingerprint}/audit_package`]: [`${ARTIFACT}/{fingerprint}/audit_package`],
  [`${ARTIFACT}/fingerprint/{fingerprint}/audit_pdf`]: [`${ARTIFACT}/{fingerprint}/audit_pdf`],
}

/** Every path that an operation is served under: its own, and those that existing clients call. */
export function pathsOf(path: string): string[] {
  const suffix = `/report/${APPS.neutral}`
  if (path.endsWith(suffix)) return [path, path.replace(suffix, `/report/${APPS.branded}`)]
  return [path, ...(ALIASES[path] ?? [])]
}

/** A body or a query as the operation's contract spells it. */
export function neutralInput(operation_id: string, values: unknown): unknown {
  if (WITH_TARGETS.has(operation_id)) return targetsRespelled(values, 'branded', 'neutral')
  const fields = INPUT[operation_id]
  return fields ? respelled(values, fields, 'branded', 'neutral') : values
}

/** An answer as the client that asked knows it. */
export function brandedAnswer(operation_id: string, user_agent: string | undefined, body: unknown): unknown {
  const isBranded = BRANDED_CLIENT.test(user_agent ?? '')
  if (WITH_TARGETS.has(operation_id))
    return eachOf(body, one => notificationFor(operation_id, isBranded, one))
  const fields = isBranded ? OUTPUT[operation_id] : undefined
  return fields ? resourcesRespelled(body, fields) : body
}

/** A record has both keys for everybody; the type of a target is the word of the client that asks. */
function notificationFor(operation_id: string, isBranded: boolean, resource: unknown): unknown {
  const spelled = isBranded ? targetsRespelled(resource, 'neutral', 'branded') : resource
  return NOTIFICATION_RECORDS.has(operation_id) ? withBranded(BRANDED_RECORD_KEYS, spelled) : spelled
}

/** One record, a list of them, or a page of them. */
function eachOf(answer: unknown, change: (resource: unknown) => unknown): unknown {
  if (Array.isArray(answer)) return answer.map(change)
  if (!isRecord(answer) || !('pagination' in answer) || !Array.isArray(answer.data)) return change(answer)
  return { ...answer, data: answer.data.map(change) }
}

function targetsRespelled(values: unknown, from: keyof Renaming, to: keyof Renaming): unknown {
  if (!isRecord(values) || !Object.hasOwn(values, 'targets') || !Array.isArray(values.targets)) return values
  return { ...values, targets: values.targets.map(target => respelled(target, CHAT, from, to)) }
}

/** One item of a long list, with the branded key beside each neutral one. */
export function brandedItem(operation_id: string, item: unknown): unknown {
  return WITH_BRANDED_KEYS.has(operation_id) ? withBranded(BRANDED_KEYS, item) : item
}

/** One resource, a list of them, or a page with a list of them. Not deeper: what people wrote is theirs. */
function resourcesRespelled(answer: unknown, fields: Fields): unknown {
  const one = (resource: unknown) => respelled(resource, fields, 'neutral', 'branded')
  if (Array.isArray(answer)) return answer.map(one)
  if (!isRecord(answer) || !('_links' in answer)) return one(answer)
  const lists = Object.entries(answer).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map(one) : value,
  ])
  return Object.fromEntries(lists)
}

function withBranded(keys: Readonly<Record<string, string>>, item: unknown): unknown {
  if (!isRecord(item)) return item
  const branded = Object.entries(keys).map(([neutral, key]) => [key, item[neutral]])
  return { ...item, ...Object.fromEntries(branded) }
}

function respelled(values: unknown, fields: Fields, from: keyof Renaming, to: keyof Renaming): unknown {
  if (!isRecord(values)) return values
  const changed = Object.entries(fields)
    .filter(([field]) => Object.hasOwn(values, field))
    .map(([field, renaming]) => {
      const spell = (value: unknown) => (value === renaming[from] ? renaming[to] : value)
      const value = values[field]
      return [field, Array.isArray(value) ? value.map(spell) : spell(value)]
    })
  return { ...values, ...Object.fromEntries(changed) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
