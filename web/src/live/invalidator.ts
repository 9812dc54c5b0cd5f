// Refetches data that changes have made outdated. It handles changes that arrive together at once, and the
// next ones wait until the page has the responses to the previous ones, so that a busy organization neither
// floods the server nor starves a slow page.
import type { QueryClient } from '@tanstack/react-query'
import { type Change, isAffected } from './affected.ts'
import { readSubject } from './subjects.ts'

const TOGETHER_MS = 150
const BETWEEN_MS = 1_000

export interface Invalidator {
  add(change: Change): void
  /** Handles added changes without delay, and resolves when the page has the responses. */
  flush(): Promise<void>
  /** Everything of the organization may have changed. */
  invalidateOrg(org: string): Promise<void>
}

export function makeInvalidator(queries: QueryClient): Invalidator {
  let waiting: Change[] = []
  let timer: number | undefined
  let running: Promise<void> = Promise.resolve()
  const refetch = () => {
    window.clearTimeout(timer)
    timer = undefined
    const changes = waiting
    waiting = []
    if (changes.length === 0) return Promise.resolve()
    return queries.invalidateQueries({
      predicate: ({ queryKey }) => changes.some(change => isAffected(queryKey, change)),
    })
  }
  const run = () => {
    running = running.then(refetch).catch(() => undefined)
    const done = running
    running = done.then(() => new Promise(resolve => window.setTimeout(resolve, BETWEEN_MS)))
  }
  return {
    add: change => {
      waiting.push(change)
      timer ??= window.setTimeout(run, TOGETHER_MS)
    },
    flush: refetch,
    invalidateOrg: org =>
      queries.invalidateQueries({ predicate: ({ queryKey }) => readSubject(queryKey).org === org }),
  }
}
