// Compares what the API shows before and after an upgrade: fields may be added, but nothing else may change.

/** Fields that depend on when they are read: how long a snapshot has lasted, when a key was used. */
const PASSING = ['duration', 'last_used_at']

/** The paths at which `after` lacks or changes something from `before`, with both values. */
export function findDifferences(before, after, at = '') {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return [`${at}: ${before.length} items, then ${after.length}`]
    return before.flatMap((item, i) => findDifferences(item, after[i], `${at}[${i}]`))
  }
  if (isObject(before) && isObject(after)) {
    return Object.keys(before)
      .filter(key => !PASSING.includes(key))
      .flatMap(key =>
        key in after ? findDifferences(before[key], after[key], `${at}.${key}`) : [`${at}.${key}: gone`],
      )
  }
  return before === after ? [] : [`${at}: ${JSON.stringify(before)}, then ${JSON.stringify(after)}`]
}

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
