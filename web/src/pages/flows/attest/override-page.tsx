// The page that overrides the verdict of an attestation, with a reason.
import { Group, Radio, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { buildApiPath, buildCurl, buildWaybill } from '../../../parts/curl.ts'
import { type Commands, FormWithCommand } from '../../../parts/form-with-command.tsx'
import { AttestationLink } from '../../../parts/links.tsx'
import type { Schemas } from '../../../parts/schemas.ts'
import { StateBadge, toState } from '../../../parts/state-badge.tsx'
import { ErrorAlert, Loading } from '../../../ui/states.tsx'
import { useDraft } from '../../../ui/use-draft.ts'
import { attestationQuery } from '../queries.ts'
import type { Trail } from './draft.ts'
import { type OverrideBody, sendOverride } from './send.ts'
import { attestTexts as texts } from './texts.ts'
import { TrailFrame } from './trail-frame.tsx'

const FROM = '/$org/flows/$flow/trails/$trail/override/$attestation_id'

type Attestation = Schemas['Attestation']

export function OverridePage() {
  const { attestation_id, ...params } = useParams({ from: FROM })
  const attestation = useQuery(attestationQuery(params.org, attestation_id))
  return (
    <TrailFrame params={params} title={texts.override.title} subject={texts.override.subject}>
      {trail =>
        attestation.isPending ? (
          <Loading />
        ) : attestation.data === undefined ? (
          <ErrorAlert error={attestation.error} />
        ) : (
          <OverrideForm org={params.org} trail={trail} attestation={attestation.data} />
        )
      }
    </TrailFrame>
  )
}

interface OverrideDraft {
  verdict: 'true' | 'false'
  reason: string
}

function buildBody(attestation: Attestation, { verdict, reason }: OverrideDraft): OverrideBody {
  const {
    attestation_name,
    attestation_type,
    artifact_fingerprint,
    original_attestation_type: original,
  } = attestation
  return {
    attestation_name,
    ...(artifact_fingerprint !== null && { artifact_fingerprint }),
    // An override of an override is an override of the original attestation.
    original_attestation_type: typeof original === 'string' ? original : attestation_type,
    new_compliance_status: verdict === 'true',
    reason: reason || 'REASON',
  }
}

interface OverrideFormProps {
  org: string
  trail: Trail
  attestation: Attestation
}

function OverrideForm({ org, trail, attestation }: OverrideFormProps) {
  const navigate = useNavigate()
  const { attestation_id, attestation_name, is_compliant } = attestation
  const initial: OverrideDraft = { verdict: is_compliant ? 'false' : 'true', reason: '' }
  const draft = useDraft({
    initial,
    validate: ({ reason }) => (reason.trim() === '' ? { reason: texts.override.reasonMissing } : {}),
    send: values => sendOverride(org, trail, buildBody(attestation, values)),
    findField: path => (path === 'new_compliance_status' ? 'verdict' : undefined),
    notice: waits => (waits ? texts.override.waits(attestation_name) : texts.override.done(attestation_name)),
    onDone: () =>
      navigate({
        to: '/$org/flows/$flow/trails/$trail',
        params: { org, flow: trail.flow_name, trail: trail.name },
      }),
  })
  const { form } = draft
  return (
    <FormWithCommand
      draft={draft}
      action={texts.override.submit}
      commands={buildCommands(org, trail, buildBody(attestation, form.values))}
    >
      <Group>
        <Text>
          <AttestationLink
            org={org}
            flow={trail.flow_name}
            trail={trail.name}
            attestation_id={attestation_id}
          >
            {attestation_name}
          </AttestationLink>
        </Text>
        <StateBadge by="evidence" state={toState(is_compliant)} />
      </Group>
      <Radio.Group label={texts.override.verdict} {...form.getInputProps('verdict')}>
        <Group mt="xs">
          <Radio value="true" label={texts.attest.compliant} />
          <Radio value="false" label={texts.attest.nonCompliant} />
        </Group>
      </Radio.Group>
      <Textarea
        label={texts.override.reason}
        description={texts.override.reasonHint}
        required
        autosize
        minRows={2}
        {...form.getInputProps('reason')}
      />
    </FormWithCommand>
  )
}

function buildCommands(org: string, trail: Trail, body: OverrideBody): Commands {
  const path = buildApiPath('attestations', org, trail.flow_name, 'trail', trail.name, 'override')
  const { attestation_name, artifact_fingerprint, original_attestation_type, reason } = body
  const words = [
    'attest',
    'override',
    '--name',
    attestation_name,
    '--original-attestation-type',
    original_attestation_type,
    `--new-compliance-status=${body.new_compliance_status}`,
    '--reason',
    reason,
    ...(artifact_fingerprint === undefined ? [] : ['--fingerprint', artifact_fingerprint]),
    '--flow',
    trail.flow_name,
    '--trail',
    trail.name,
  ]
  return { waybill: buildWaybill(words, org), curl: buildCurl('POST', path, body) }
}
