// Computes the changes when a client begins an existing trail again: omitted keys keep their stored value, and values
// that are equal as JSON are not changes.

export interface TrailFields {
  description: string | null
  user_data: unknown
  git_commit_info: unknown
  repo_info: unknown
  external_urls: unknown
  origin_url: string | null
  template_id: string | null
}

// Events name the field as users know it.
const SHOWN_AS: Record<string, string> = { template_id: 'template' }

export function applyPatch<Fields extends object>(
  before: Fields,
  patch: Partial<Fields>,
): { next: Fields; changes: string[] } {
  const next = { ...before }
  const changes: string[] = []
  for (const key of Object.keys(patch) as (keyof Fields & string)[]) {
    const value = patch[key]
    if (value === undefined || isSameJson(before[key], value)) continue
    next[key] = value
    changes.push(SHOWN_AS[key] ?? key)
  }
  return { next, changes: changes.sort() }
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, index) => isSameJson(item, b[index]))
  }
  return isObject(a) && isObject(b) && hasSameEntries(a, b)
}

function hasSameEntries(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = listPresentKeys(a)
  if (keys.length !== listPresentKeys(b).length) return false
  return keys.every(key => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
}

// JSON has no undefined: such a key is not written.
function listPresentKeys(value: Record<string, unknown>): string[] {
  return Object.keys(value).filter(key => value[key] !== undefined)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
