// The third step: a policy that requires the reported evidence, attached to the environment.
import { Button, Group, Stack, Text } from '@mantine/core'
import { api, unwrap } from '../../../api.ts'
import { buildApiPath, buildCurl } from '../../../parts/curl.ts'
import { useRole } from '../../../parts/use-role.ts'
import { Command } from '../../../ui/command.tsx'
import { Details } from '../../../ui/details.tsx'
import { PageLink } from '../../../ui/page-link.tsx'
import { ErrorAlert } from '../../../ui/states.tsx'
import { useChange } from '../../../ui/use-change.ts'
import { attachPolicy } from '../../policies/queries.ts'
import { CHECK, ENVIRONMENT } from './commands.ts'
import type { Progress } from './progress.ts'
import { startTexts as texts } from './texts.ts'

interface PolicyStepProps {
  org: string
  progress: Progress
}

export function PolicyStep({ org, progress }: PolicyStepProps) {
  const { isMember } = useRole(org)
  const { attestation, reported, governed } = progress
  const environment = (reported ?? progress.environment)?.name ?? ENVIRONMENT
  const name = `${environment}-rules`
  const policy_yaml = buildPolicy(attestation?.attestation_name ?? CHECK)
  const attach = useChange(() => createAndAttach(org, { name, policy_yaml, environment }), {
    notice: texts.policy.created(name, environment),
  })
  if (governed) return <Text>{texts.policy.done(governed.policies.join(', '), governed.name)}</Text>
  return (
    <Stack gap="sm">
      <Text>{texts.policy.hint}</Text>
      <Command command={policy_yaml} />
      {isMember && (
        <Group>
          <Button disabled={!reported} loading={attach.isPending} onClick={() => attach.mutate(undefined)}>
            {texts.policy.create(environment)}
          </Button>
          <Text size="sm">
            {texts.policy.own}{' '}
            <PageLink to="/$org/new-policy" params={{ org }}>
              {texts.policy.newPolicy}
            </PageLink>
          </Text>
        </Group>
      )}
      {attach.error && <ErrorAlert error={attach.error} />}
      <Details title={texts.policy.command}>
        <Command command={buildCommands(org, { name, policy_yaml, environment })} />
      </Details>
    </Stack>
  )
}

const buildPolicy = (attestation: string) => `_schema: https://waybill.example/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  attestations:
    - name: ${JSON.stringify(attestation)}
      type: "*"
`

interface NewPolicy {
  name: string
  policy_yaml: string
  environment: string
}

async function createAndAttach(org: string, { name, policy_yaml, environment }: NewPolicy): Promise<void> {
  const { comment, description } = texts.policy
  const body = { policy_yaml, comment, description }
  await unwrap(api.PUT('/policies/{org}/{name}', { params: { path: { org, name } }, body }))
  await attachPolicy(org, environment, name)
}

function buildCommands(org: string, { name, policy_yaml, environment }: NewPolicy): string {
  const { comment } = texts.policy
  return [
    buildCurl('PUT', buildApiPath('policies', org, name), { policy_yaml, comment }),
    buildCurl('POST', buildApiPath('environments', org, environment, 'policies'), { policy_names: [name] }),
  ].join('\n')
}
