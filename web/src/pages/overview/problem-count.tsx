// How many environments are not known to be compliant, in one sentence.
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../parts/schemas.ts'
import { computeState, describeState, type State } from '../../parts/state-badge.tsx'
import { formatList } from '../../ui/format-list.ts'
import { countQuery } from './queries.ts'
import { overviewTexts as texts } from './texts.ts'

/** The first page of environments, non-compliant ones first. */
export type Shown = Pick<Schemas['EnvironmentPage'], 'environments' | 'total_count'>

/** In the order in which the server lists environments; compliant ones come last. */
const PROBLEMS = [
  ['NON-COMPLIANT', 'non-compliant'],
  ['STALE', 'stale'],
  ['UNKNOWN', 'unknown'],
] as const

export function ProblemCount({ org, found }: { org: string; found: Shown }) {
  const counts = [useCount(org, found, 0), useCount(org, found, 1), useCount(org, found, 2)]
  const problems = counts
    .filter(({ shown, count = shown }) => count > 0)
    .map(({ state, shown, count }) =>
      count === undefined
        ? texts.environments.countAtLeast(shown, describeState(state))
        : texts.environments.count(count, describeState(state)),
    )
  if (found.total_count === 0) return texts.environments.allArchived
  if (problems.length === 0) return texts.environments.allFine(found.total_count)
  return texts.environments.problems(found.total_count, formatList(problems))
}

/** The count on this page is exact if an environment with a later state is shown. Otherwise the server counts. */
function useCount(org: string, { environments, total_count }: Shown, position: 0 | 1 | 2) {
  const [state, filter] = PROBLEMS[position]
  const states = environments.map(computeState)
  const shown = states.filter(each => each === state).length
  const earlier = PROBLEMS.slice(0, position + 1).map(([each]): State => each)
  const isAll = !states.every(each => earlier.includes(each)) || states.length === total_count
  const counted = useQuery({ ...countQuery(org, filter), enabled: !isAll })
  return { state, shown, count: isAll ? shown : counted.data?.total_count }
}
