// The one place that knows the branded spellings of existing clients. What they send is read as the neutral word, and the
// word they used is kept with the record: it is answered in `type`, which they compare with what they sent, and ours in
// `neutral_type`, whoever asks. Nothing of it is in the document.

interface Renaming {
  neutral: string
  branded: string
}

/** The client's own word for each word of ours that it spelled otherwise. */
export type ClientWords = ReadonlyMap<string, string>

const APPS: Renaming = { neutral: 'cloudx-apps', branded: 'azure-apps' }
const CHAT: Renaming = { neutral: 'CHAT', branded: 'SLACK' }

/** Operations of which `type` has two spellings, at the top of the body or among the query parameters. */
const WITH_ENVIRONMENT_TYPE: ReadonlySet<string> = new Set(['putEnvironment', 'listEnvironments'])

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
  'putFlowNotification',
])
/** Operations that take `targets`, each of which has a type with two spellings. */
const WITH_TARGETS: ReadonlySet<string> = new Set([...NOTIFICATION_RECORDS, 'putNotificationConfig'])

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
export function listPaths(path: string): string[] {
  const suffix = `/report/${APPS.neutral}`
  if (path.endsWith(suffix)) return [path, path.replace(suffix, `/report/${APPS.branded}`)]
  return [path, ...(ALIASES[path] ?? [])]
}

/** A body or a query as the operation's contract spells it, and what of it was spelled otherwise. */
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

/** An answer with the branded key beside each neutral one that such a client reads. */
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

/** One item of a long list, with the branded key beside each neutral one. */
export function toBrandedItem(operation_id: string, item: unknown): unknown {
  return WITH_BRANDED_KEYS.has(operation_id) ? addBrandedKeys(BRANDED_KEYS, item) : item
}

function addBrandedKeys(keys: Readonly<Record<string, string>>, item: unknown): unknown {
  if (!isRecord(item)) return item
  const branded = Object.entries(keys).map(([neutral, key]) => [key, item[neutral]])
  return { ...item, ...Object.fromEntries(branded) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
