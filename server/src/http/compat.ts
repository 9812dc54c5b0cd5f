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
const BRANDED_CLIENT = /^(Kosli|terraform-provider-kosli)\//

/** Keys that are answered in both spellings, to everybody, in the items of these operations' lists. */
export const BRANDED_KEYS: Readonly<Record<string, string>> = {
  container_task_context: 'ecs_context',
  serverless_run_context: 'cloud_run_context',
}
const WITH_BRANDED_KEYS: ReadonlySet<string> = new Set(['getSnapshot'])

/** Every path that an operation is served under: its own, and the one that existing clients call. */
export function pathsOf(path: string): string[] {
  const suffix = `/report/${APPS.neutral}`
  return path.endsWith(suffix) ? [path, path.replace(suffix, `/report/${APPS.branded}`)] : [path]
}

/** A body or a query as the operation's contract spells it. */
export function neutralInput(operation_id: string, values: unknown): unknown {
  const fields = INPUT[operation_id]
  return fields ? respelled(values, fields, 'branded', 'neutral') : values
}

/** An answer as the client that asked knows it. */
export function brandedAnswer(operation_id: string, user_agent: string | undefined, body: unknown): unknown {
  const fields = BRANDED_CLIENT.test(user_agent ?? '') ? OUTPUT[operation_id] : undefined
  return fields ? resourcesRespelled(body, fields) : body
}

/** One item of a long list, with the branded key beside each neutral one. */
export function brandedItem(operation_id: string, item: unknown): unknown {
  if (!WITH_BRANDED_KEYS.has(operation_id) || !isRecord(item)) return item
  const branded = Object.entries(BRANDED_KEYS).map(([neutral, key]) => [key, item[neutral]])
  return { ...item, ...Object.fromEntries(branded) }
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
