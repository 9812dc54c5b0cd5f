// Decisions that wait for a second person: how an answer says so, what waits, and the way to the page of all of them.
import { Alert } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, unwrap } from '../api.ts'
import { PageLink } from '../ui/page-link.tsx'
import text_styles from '../ui/text.module.css'
import type { Schemas } from './schemas.ts'

export type WaitingDecision = Schemas['WaitingDecision']

const LIVE_MS = 15_000

export const waitingDecisionsQuery = (org: string) =>
  queryOptions({
    queryKey: ['waiting-decisions', org],
    refetchInterval: LIVE_MS,
    queryFn: () => unwrap(api.GET('/decisions/{org}', { params: { path: { org } } })),
  })

/** What decides is answered with `OK`, or with the decision that waits instead. */
export function isWaiting(answer: unknown): answer is WaitingDecision {
  return typeof answer === 'object' && answer !== null && 'asked_by' in answer
}

interface AllowSubject {
  environment_name: string
  artifact_fingerprint: string
  artifact_name: string
  expires_at: number | null
}

interface OverrideSubject {
  flow_name: string
  trail_name: string
  attestation_name: string
  artifact_fingerprint: string | null
  /** By their names in the template: they need not be reported yet. */
  target_artifacts: string[]
  original_attestation_type: string
  new_compliance_status: boolean
}

export type DecisionSubject =
  | { kind: 'allow'; subject: AllowSubject }
  | { kind: 'override'; subject: OverrideSubject }

/** The subject has its own form for each kind. */
export const readDecision = ({ kind, subject }: Pick<WaitingDecision, 'kind' | 'subject'>) =>
  ({ kind, subject }) as unknown as DecisionSubject

/** Such as `the override of unit-tests`. */
export function describeDecision(decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  return kind === 'allow'
    ? `the allow-list entry for ${subject.artifact_name}`
    : `the override of ${subject.attestation_name}`
}

export function SecondPersonAlert({ org, children }: { org: string; children: ReactNode }) {
  return (
    <Alert
      color="blue"
      role="group"
      title="Waiting for a second person"
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <span className="long-name">{children}</span>{' '}
      <PageLink to="/$org/waiting-decisions" params={{ org }}>
        Waiting decisions
      </PageLink>
    </Alert>
  )
}
