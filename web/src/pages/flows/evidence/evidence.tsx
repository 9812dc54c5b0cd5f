// Shows the payload of an attestation in a form that fits its type, and its user data.
import { Stack } from '@mantine/core'
import type { Schemas } from '../../../parts/schemas.ts'
import { Details } from '../../../ui/details.tsx'
import { RawJson } from '../../../ui/raw-json.tsx'
import { type CustomPayload, CustomSummary } from './custom-summary.tsx'
import { Decision } from './decision.tsx'
import { Issues } from './issues.tsx'
import { Override } from './override.tsx'
import { PullRequests } from './pull-requests.tsx'
import { QualityGate, type SonarResults } from './quality-gate.tsx'
import { TestSuites } from './test-suites.tsx'
import { evidenceTexts as texts } from './texts.ts'
import { Vulnerabilities } from './vulnerabilities.tsx'

interface AttestationProps {
  org: string
  attestation: Schemas['Attestation']
}

/** The fields that depend on the type. The server has validated them. */
interface Payload extends CustomPayload {
  junit_results?: Schemas['JunitSuite'][]
  processed_snyk_results?: Schemas['SnykResults']
  jira_results?: Schemas['JiraIssue'][]
  sonar_results?: SonarResults
  pull_requests?: Schemas['PullRequest'][]
  git_provider?: string
  control?: string
  expires_at?: number
  reason?: string
  original_attestation_type?: string
  new_compliance_status?: boolean
}

export function Evidence({ org, attestation }: AttestationProps) {
  const has_user_data = Object.keys(attestation.user_data ?? {}).length > 0
  return (
    <Stack>
      <ByType org={org} attestation={attestation} />
      {has_user_data && (
        <Details title={texts.userData}>
          <RawJson value={attestation.user_data} />
        </Details>
      )}
    </Stack>
  )
}

function ByType({ org, attestation }: AttestationProps) {
  const payload = attestation as unknown as Payload
  if (payload.junit_results) return <TestSuites suites={payload.junit_results} />
  if (payload.processed_snyk_results) return <Vulnerabilities results={payload.processed_snyk_results} />
  if (payload.pull_requests) return <PullRequests pull_requests={payload.pull_requests} />
  if (payload.jira_results) return <Issues issues={payload.jira_results} />
  if (payload.sonar_results) return <QualityGate results={payload.sonar_results} />
  if (payload.control !== undefined) {
    return (
      <Decision
        org={org}
        control={payload.control}
        data={payload.attestation_data}
        expires_at={payload.expires_at ?? null}
      />
    )
  }
  if (payload.reason !== undefined) {
    return (
      <Override
        reason={payload.reason}
        original_type={payload.original_attestation_type ?? ''}
        is_compliant={payload.new_compliance_status ?? false}
      />
    )
  }
  if (attestation.attestation_type.startsWith('custom:')) return <CustomSummary payload={payload} />
  return null
}
