// The first steps of a new organization: commands with its name and URL, ready to paste.
import { List, Stack, Text, Title } from '@mantine/core'
import { readServerSeconds } from '../../live/server-clock.ts'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { useRole } from '../../parts/use-role.ts'
import { Command } from '../../ui/command.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { overviewTexts as texts } from './texts.ts'

const FLOW = 'backend'
const TRAIL = 'release-1.0.0'
const ENVIRONMENT = 'production'
const ARTIFACT = 'backend:1.0.0'
const FINGERPRINT = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'
const COMMIT = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'

export function GettingStarted({ org }: { org: string }) {
  return (
    <Stack component="section" maw={820}>
      <Title order={2} size="h3">
        {texts.gettingStarted.title}
      </Title>
      <Text>
        {texts.gettingStarted.apiKeyBefore} <code>API_KEY</code>
        {texts.gettingStarted.apiKeyAfter} <KeyHint org={org} />
      </Text>
      <List type="ordered" spacing="lg" listStyleType="decimal">
        {buildSteps(org).map(({ what, command }) => (
          <List.Item
            key={what}
            styles={{ itemWrapper: { display: 'block' }, itemLabel: { display: 'block' } }}
          >
            <Text mb={4}>{what}</Text>
            <Command command={command} />
          </List.Item>
        ))}
      </List>
      <Text>
        {texts.gettingStarted.nextBefore}{' '}
        <PageLink to="/$org/policies" params={{ org }}>
          {texts.gettingStarted.policy}
        </PageLink>{' '}
        {texts.gettingStarted.nextAfter}
      </Text>
    </Stack>
  )
}

function KeyHint({ org }: { org: string }) {
  const { isAdmin } = useRole(org)
  if (!isAdmin) return <>{texts.gettingStarted.askAdmin}</>
  return (
    <>
      {texts.gettingStarted.createKeyBefore}{' '}
      <PageLink to="/$org/settings/service-accounts" params={{ org }}>
        {texts.gettingStarted.serviceAccounts}
      </PageLink>
      {texts.gettingStarted.createKeyAfter}
    </>
  )
}

function buildSteps(org: string): { what: string; command: string }[] {
  const now = Math.floor(readServerSeconds())
  return [
    {
      what: texts.gettingStarted.flow,
      command: buildCurl('PUT', buildApiPath('flows', org), {
        name: FLOW,
        description: 'Builds the backend',
      }),
    },
    {
      what: texts.gettingStarted.artifact,
      command: buildCurl('POST', buildApiPath('artifacts', org, FLOW), {
        fingerprint: FINGERPRINT,
        filename: ARTIFACT,
        trail_name: TRAIL,
        template_reference_name: FLOW,
        git_commit: COMMIT,
        build_url: 'https://ci.example.com/builds/1',
        commit_url: `https://git.example.com/backend/commit/${COMMIT}`,
      }),
    },
    {
      what: texts.gettingStarted.attestation,
      command: buildCurl('POST', buildApiPath('attestations', org, FLOW, 'trail', TRAIL, 'generic'), {
        attestation_name: 'unit-tests',
        artifact_fingerprint: FINGERPRINT,
        is_compliant: true,
      }),
    },
    {
      what: texts.gettingStarted.environment,
      command: buildCurl('PUT', buildApiPath('environments', org), {
        name: ENVIRONMENT,
        type: 'docker',
        description: 'Serves our customers',
      }),
    },
    {
      what: texts.gettingStarted.snapshot,
      command: buildCurl('PUT', buildApiPath('environments', org, ENVIRONMENT, 'report', 'docker'), {
        artifacts: [{ digests: { [ARTIFACT]: FINGERPRINT }, creationTimestamp: now }],
      }),
    },
  ]
}
