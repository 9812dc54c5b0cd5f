// The findings of a verification: each has a code that never changes its meaning, and a sentence for people.

/** The steps of a verification, in order. V1, V11 and V12 are only for packages; W0 is a warning about the policy. */
const CODES = ['V1', 'V2', 'V3', 'W0', 'V4', 'V5', 'V6', 'V7', 'V8', 'V9', 'V10', 'V11', 'V12'] as const

export type Code = (typeof CODES)[number]

/**
 * `false`: the log differs from what was signed. `unknown`: it cannot be evaluated. `note`: for the reader's
 * information.
 */
type Level = 'false' | 'unknown' | 'note'

export interface Finding {
  code: Code
  level: Level
  text: string
}

export interface Findings {
  add(code: Code, level: Level, text: string): void
  /** In the order of the steps. */
  list(): Finding[]
  has(level: Level, codes?: readonly Code[]): boolean
}

/** Further findings of the same step and level are only counted. */
const MAX_LISTED = 20

export function makeFindings(): Findings {
  const found: Finding[] = []
  const counts = new Map<string, number>()
  return {
    add: (code, level, text) => {
      const key = `${code} ${level}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count <= MAX_LISTED) found.push({ code, level, text })
    },
    list: () =>
      CODES.flatMap(code =>
        (['false', 'unknown', 'note'] as const).flatMap(level => {
          const more = (counts.get(`${code} ${level}`) ?? 0) - MAX_LISTED
          const listed = found.filter(each => each.code === code && each.level === level)
          return more > 0 ? [...listed, { code, level, text: `and ${more} more like these` }] : listed
        }),
      ),
    has: (level, codes = CODES) =>
      found.some(finding => finding.level === level && codes.includes(finding.code)),
  }
}
