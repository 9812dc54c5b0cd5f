// Decisions that wait for a second person: how to recognize and describe them, and the link to their page.
import { Alert } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, unwrap } from '../api.ts'
import { PageLink } from '../ui/page-link.tsx'
import text_styles from '../ui/text.module.css'
import type { Schemas } from './schemas.ts'
import { partsTexts as texts } from './texts.ts'

export type WaitingDecision = Schemas['WaitingDecision']

export const waitingDecisionsQuery = (org: string) =>
  queryOptions({
    queryKey: ['waiting-decisions', org],
    queryFn: () => unwrap(api.GET('/decisions/{org}', { params: { path: { org } } })),
  })

/** An operation that needs a second person returns the waiting decision instead of `OK`. */
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
  /** Names from the template, whose artifacts may not be reported yet. */
  target_artifacts: string[]
  original_attestation_type: string
  new_compliance_status: boolean
}

export type DecisionSubject =
  | { kind: 'allow'; subject: AllowSubject }
  | { kind: 'override'; subject: OverrideSubject }

/** The shape of the subject depends on the kind. */
export const readDecision = ({ kind, subject }: Pick<WaitingDecision, 'kind' | 'subject'>) =>
  ({ kind, subject }) as unknown as DecisionSubject

/** Such as `the override of unit-tests`. */
export function describeDecision(decision: WaitingDecision): string {
  const { kind, subject } = readDecision(decision)
  return kind === 'allow'
    ? texts.waitingDecisions.allow(subject.artifact_name)
    : texts.waitingDecisions.override(subject.attestation_name)
}

export function SecondPersonAlert({ org, children }: { org: string; children: ReactNode }) {
  return (
    <Alert
      color="blue"
      role="group"
      title={texts.waitingDecisions.title}
      classNames={{ title: text_styles.plain ?? '' }}
    >
      <span className="long-name">{children}</span>{' '}
      <PageLink to="/$org/waiting-decisions" params={{ org }}>
        {texts.waitingDecisions.link}
      </PageLink>
    </Alert>
  )
}
