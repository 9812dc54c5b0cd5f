// The only place that knows the branded spellings of existing clients. They are read as our neutral words, and the
// client's word is kept with the record: every response has it in `type`, which clients compare with what they sent,
// and our word in `neutral_type`. The OpenAPI document does not mention any of this.

interface Renaming {
  neutral: string
  branded: string
}

/** The client's own word for each of our words that it spelled differently. */
export type ClientWords = ReadonlyMap<string, string>

const APPS: Renaming = { neutral: 'cloudx-apps', branded: 'azure-apps' }
const CHAT: Renaming = { neutral: 'CHAT', branded: 'SLACK' }

/** Operations whose `type` has two spellings, at the top of the body or among the query parameters. */
const WITH_ENVIRONMENT_TYPE: ReadonlySet<string> = new Set([
  'putEnvironment',
  'listEnvironments',
  'reportApps',
])

const NOTIFICATIONS = '/organizations/{org}/environments_notifications'
const FLOW_NOTIFICATIONS = '/organizations/{org}/flows_notifications'
/** Operations that return one of these records, a list or a page of them. */
const NOTIFICATION_RECORDS: ReadonlySet<string> = new Set([
  'listEnvironmentNotifications',
  'createEnvironmentNotification',
  'getEnvironmentNotification',
  'putEnvironmentNotification',
  'listFlowNotifications',
  'createFlowNotification',
  'getFlowNotification',
  'putFlowNotification',
])
/** Operations with `targets`, whose type has two spellings. */
const WITH_TARGETS: ReadonlySet<string> = new Set([...NOTIFICATION_RECORDS, 'putNotificationConfig'])

/** Keys that are returned in both spellings, to everyone, in the items of these operations' lists. */
export const BRANDED_KEYS: Readonly<Record<string, string>> = {
  container_task_context: 'ecs_context',
  serverless_run_context: 'cloud_run_context',
}
const WITH_BRANDED_KEYS: ReadonlySet<string> = new Set(['getSnapshot'])

/** The branded keys of notification records. */
export const BRANDED_RECORD_KEYS: Readonly<Record<string, string>> = {
  is_created_from_chat_app: 'is_created_from_slack_app',
}

/** Whether records of this schema, by the names of its fields, are returned with further spellings of some fields. */
export function hasBrandedKeys(fields: readonly string[]): boolean {
  return fields.some(name => Object.hasOwn(BRANDED_KEYS, name) || Object.hasOwn(BRANDED_RECORD_KEYS, name))
}

/** The prefix under which an existing assistant server calls the API. */
export const PREFIX_ALIAS = '/api/fastapi'

/** The URL with our own prefix instead of the alias; any other URL unchanged. */
export function toOwnPrefix(url: string, prefix: string): string {
  return url.startsWith(`${PREFIX_ALIAS}/`) ? prefix + url.slice(PREFIX_ALIAS.length) : url
}

const ARTIFACT = '/artifacts/{org}/{flow_name}'

/** The paths that existing clients use, by our own path. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  [NOTIFICATIONS]: ['/actions/{org}', '/actions/{org}/environments'],
  [`${NOTIFICATIONS}/{number}`]: ['/actions/{org}/{number}'],
  [`${NOTIFICATIONS}/{number}/test`]: ['/actions/{org}/{number}/test'],
  [FLOW_NOTIFICATIONS]: ['/actions/{org}/flows'],
  [`${ARTIFACT}/fingerprint/{fingerprint}/audit_package`]: [`${ARTIFACT}/{fingerprint}/audit_package`],
  [`${ARTIFACT}/fingerprint/{fingerprint}/audit_pdf`]: [`${ARTIFACT}/{fingerprint}/audit_pdf`],
}

/** Every path of an operation: its own, and those that existing clients call. */
export function listPaths(path: string): string[] {
  const suffix = `/report/${APPS.neutral}`
  if (path.endsWith(suffix)) return [path, path.replace(suffix, `/report/${APPS.branded}`)]
  return [path, ...(ALIASES[path] ?? [])]
}

/** A body or query as the operation's contract spells it, and the client's words that differ. */
export function toNeutralInput(
  operation_id: string,
  values: unknown,
): { values: unknown; client_words: ClientWords } {
  const words = new Map<string, string>()
  if (WITH_TARGETS.has(operation_id)) return { values: readTargetTypes(values, words), client_words: words }
  if (!WITH_ENVIRONMENT_TYPE.has(operation_id)) return { values, client_words: words }
  return { values: readType(values, APPS, words), client_words: words }
}

function readTargetTypes(values: unknown, words: Map<string, string>): unknown {
  if (!isRecord(values) || !Object.hasOwn(values, 'targets') || !Array.isArray(values.targets)) return values
  return { ...values, targets: values.targets.map(target => readType(target, CHAT, words)) }
}

function readType(values: unknown, { neutral, branded }: Renaming, words: Map<string, string>): unknown {
  if (!isRecord(values) || !Object.hasOwn(values, 'type')) return values
  const read = (word: unknown): unknown => {
    if (word !== branded) return word
    words.set(neutral, branded)
    return neutral
  }
  return { ...values, type: Array.isArray(values.type) ? values.type.map(read) : read(values.type) }
}

/** A response with the branded key next to each neutral one that existing clients read. */
export function toBrandedAnswer(operation_id: string, body: unknown): unknown {
  if (!NOTIFICATION_RECORDS.has(operation_id)) return body
  return mapRecords(body, record => addBrandedKeys(BRANDED_RECORD_KEYS, record))
}

/** One record, a list of them, or a page of them. */
function mapRecords(answer: unknown, change: (resource: unknown) => unknown): unknown {
  if (Array.isArray(answer)) return answer.map(change)
  if (!isRecord(answer) || !('pagination' in answer) || !Array.isArray(answer.data)) return change(answer)
  return { ...answer, data: answer.data.map(change) }
}

/** One item of a long list, with the branded key next to each neutral one. */
export function toBrandedItem(operation_id: string, item: unknown): unknown {
  return WITH_BRANDED_KEYS.has(operation_id) ? addBrandedKeys(BRANDED_KEYS, item) : item
}

function addBrandedKeys(keys: Readonly<Record<string, string>>, item: unknown): unknown {
  if (!isRecord(item)) return item
  const branded = { ...item }
  for (const neutral in keys) branded[keys[neutral] ?? neutral] = item[neutral]
  return branded
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
