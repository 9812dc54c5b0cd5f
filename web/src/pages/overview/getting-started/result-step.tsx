// The last step: the environment with its verdict, and the reasons for it.
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EnvironmentLink, FlowLink, TrailLink } from '../../../parts/links.tsx'
import type { Schemas } from '../../../parts/schemas.ts'
import { formatList } from '../../../ui/format-list.ts'
import { ErrorAlert, Loading } from '../../../ui/states.tsx'
import text_styles from '../../../ui/text.module.css'
import type { SnapshotArtifact } from '../../environments/answers.ts'
import { EvidenceLinks, findEvidence } from '../../environments/evidence.tsx'
import { snapshotArtifactsQuery } from '../../environments/history-queries.ts'
import { Reasons } from '../../environments/reasons.tsx'
import { startTexts as texts } from './texts.ts'

interface ResultStepProps {
  org: string
  /** The environment that a policy is attached to. */
  environment: Schemas['Environment'] | undefined
  onFinish: () => void
}

export function ResultStep({ org, environment, onFinish }: ResultStepProps) {
  if (!environment) return <Text>{texts.result.later}</Text>
  return <Result org={org} environment={environment} onFinish={onFinish} />
}

function Result({ org, environment, onFinish }: ResultStepProps & { environment: Schemas['Environment'] }) {
  const { name, latest_snapshot_index, state, policies } = environment
  const artifacts = useQuery(snapshotArtifactsQuery(org, name, String(latest_snapshot_index), { page: 1 }))
  if (artifacts.isPending) return <Loading rows={1} />
  if (artifacts.error) return <ErrorAlert error={artifacts.error} />
  const shown = artifacts.data.artifacts
  if (state !== true) {
    const failing = shown.filter(({ compliance_state }) => compliance_state === 'NON-COMPLIANT')
    if (failing.length === 0) return <Text role="status">{texts.result.evaluating(name)}</Text>
    return (
      <Stack gap="xs" role="status">
        <Text>{texts.result.red(name)}</Text>
        {failing.map(each => (
          <Reasons key={each.fingerprint} org={org} reasons={each.reasons_for_incompliance} />
        ))}
      </Stack>
    )
  }
  return (
    <Stack gap="sm">
      <Alert
        color="green"
        role="status"
        title={texts.result.green(name)}
        classNames={{ title: text_styles.plain ?? '' }}
      >
        <List size="sm">
          {shown.map(artifact => (
            <List.Item key={artifact.fingerprint}>
              <Why org={org} artifact={artifact} />
            </List.Item>
          ))}
        </List>
        <Text size="sm" mt="xs">
          {texts.result.policy(formatList(policies))}
        </Text>
      </Alert>
      <Text>{texts.result.next}</Text>
      <Group>
        <Button onClick={onFinish}>{texts.result.finish}</Button>
        <EnvironmentLink org={org} environment={name}>
          {texts.result.all}
        </EnvironmentLink>
      </Group>
    </Stack>
  )
}

function Why({ org, artifact }: { org: string; artifact: SnapshotArtifact }) {
  const evidence = findEvidence(artifact)
  const [first] = evidence
  return (
    <>
      {texts.result.artifact(artifact.name)} {texts.result.provenance}{' '}
      <FlowLink org={org} flow={artifact.flow_name} />
      {first && (
        <>
          {' '}
          {texts.result.on} <TrailLink org={org} flow={first.flow} trail={first.trail} />{' '}
          {texts.result.evidence} <EvidenceLinks org={org} evidence={evidence} />
        </>
      )}
      .
    </>
  )
}
