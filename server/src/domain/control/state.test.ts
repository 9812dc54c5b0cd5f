import { describe, expect, it } from 'vitest'
import { type ControlFacts, computeControlState, isOverdue, NO_ARTIFACTS } from './state.ts'

type Given = Partial<Omit<ControlFacts, 'artifacts'>> & { artifacts?: Partial<ControlFacts['artifacts']> }

const compute = ({ artifacts, ...given }: Given) =>
  computeControlState({
    is_required: true,
    has_reported: true,
    is_stale: false,
    is_partial: false,
    is_overdue: false,
    ...given,
    artifacts: { ...NO_ARTIFACTS, ...artifacts },
  })

describe('the state of a control in an environment', () => {
  it.each<[string, Given, string, string | null]>([
    ['no policy requires it', { is_required: false, artifacts: { met: 1 } }, 'not-required', null],
    [
      'no policy requires it, and nothing reported',
      { is_required: false, has_reported: false },
      'not-required',
      null,
    ],
    ['all artifacts meet it', { artifacts: { met: 2 } }, 'met', null],
    ['those it applies to meet it', { artifacts: { met: 1, 'not-applicable': 3 } }, 'met', null],
    ['one fails it', { artifacts: { met: 5, failing: 1 } }, 'failing', null],
    ['one fails, one is not evaluated', { artifacts: { failing: 1, 'not-evaluated': 1 } }, 'failing', null],
    [
      'one fails, and the environment is stale',
      { is_stale: true, artifacts: { failing: 1 } },
      'failing',
      null,
    ],
    ['the decision on one has expired', { artifacts: { met: 5, expired: 1 } }, 'expired', null],
    ['one fails, one has expired', { artifacts: { failing: 1, expired: 1 } }, 'failing', null],
    [
      'one has expired in a stale environment',
      { is_stale: true, artifacts: { expired: 1 } },
      'expired',
      null,
    ],
    [
      'one has expired, one is not evaluated',
      { artifacts: { expired: 1, 'not-evaluated': 1 } },
      'expired',
      null,
    ],
    ['one fails in a partial view', { is_partial: true, artifacts: { failing: 1 } }, 'failing', null],
    ['it applies to nothing that runs', { artifacts: { 'not-applicable': 2 } }, 'not-required', null],
    ['nothing runs', {}, 'not-required', null],
    ['nothing was ever reported', { has_reported: false }, 'unknown', 'never-reported'],
    ['the environment is stale', { is_stale: true, artifacts: { met: 2 } }, 'unknown', 'stale'],
    ['nothing ran when it became stale', { is_stale: true }, 'unknown', 'stale'],
    ['the view is partial', { is_partial: true, artifacts: { met: 2 } }, 'unknown', 'partial'],
    ['one is not evaluated', { artifacts: { met: 2, 'not-evaluated': 1 } }, 'unknown', 'not-evaluated'],
    ['an evaluation is overdue', { is_overdue: true, artifacts: { met: 2 } }, 'unknown', 'not-evaluated'],
    ['stale and not evaluated', { is_stale: true, artifacts: { 'not-evaluated': 1 } }, 'unknown', 'stale'],
  ])('%s', (_, given, state, unknown_because) => {
    expect(compute(given)).toEqual({ state, unknown_because })
  })

  it('is met only if everything is known', () => {
    const flags = ['is_stale', 'is_partial', 'is_overdue'] as const
    for (const flag of flags) expect(compute({ [flag]: true, artifacts: { met: 1 } }).state).toBe('unknown')
  })
})

describe('an evaluation that waits', () => {
  const now = new Date(1_000_000)
  it.each<[string, Date | null, boolean]>([
    ['none', null, false],
    ['just now', now, false],
    ['a minute', new Date(now.getTime() - 60_000), false],
    ['more than a minute', new Date(now.getTime() - 60_001), true],
  ])('%s', (_, since, overdue) => {
    expect(isOverdue(since, now)).toBe(overdue)
  })
})
