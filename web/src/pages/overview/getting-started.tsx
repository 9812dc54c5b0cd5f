// The way from nothing to the first snapshot, as commands that can be pasted: of this service and this organization.
import { List, Stack, Text, Title } from '@mantine/core'
import { buildApiPath, buildCurl } from '../../parts/curl.ts'
import { useRole } from '../../parts/use-role.ts'
import { Command } from '../../ui/command.tsx'
import { PageLink } from '../../ui/page-link.tsx'

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
        Nothing is here yet: five commands to the first snapshot
      </Title>
      <Text>
        Each needs a key in <code>API_KEY</code>. <WhereKeysAre org={org} />
      </Text>
      <List type="ordered" spacing="lg" listStyleType="decimal">
        {stepsOf(org).map(({ what, command }) => (
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
        Then this page shows the environment, and a{' '}
        <PageLink to="/$org/policies" params={{ org }}>
          policy
        </PageLink>{' '}
        that is attached to it says what may run there.
      </Text>
    </Stack>
  )
}

function WhereKeysAre({ org }: { org: string }) {
  const { isAdmin } = useRole(org)
  if (!isAdmin) return <>An admin of the organization makes service accounts and their keys.</>
  return (
    <>
      Make one at the{' '}
      <PageLink to="/$org/settings/service-accounts" params={{ org }}>
        service accounts
      </PageLink>
      .
    </>
  )
}

function stepsOf(org: string): { what: string; command: string }[] {
  const now = Math.floor(Date.now() / 1000)
  return [
    {
      what: 'A flow: the way in which something is built.',
      command: buildCurl('PUT', buildApiPath('flows', org), {
        name: FLOW,
        description: 'Builds the backend',
      }),
    },
    {
      what: 'An artifact: what a build of the flow made, with its SHA-256. Its trail keeps the evidence.',
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
      what: 'Evidence about it: here, that its tests passed.',
      command: buildCurl('POST', buildApiPath('attestations', org, FLOW, 'trail', TRAIL, 'generic'), {
        attestation_name: 'unit-tests',
        artifact_fingerprint: FINGERPRINT,
        is_compliant: true,
      }),
    },
    {
      what: 'An environment: a place where artifacts run.',
      command: buildCurl('PUT', buildApiPath('environments', org), {
        name: ENVIRONMENT,
        type: 'docker',
        description: 'What customers use',
      }),
    },
    {
      what: 'A report of what runs there, which makes the first snapshot. Send it again whenever it may have changed.',
      command: buildCurl('PUT', buildApiPath('environments', org, ENVIRONMENT, 'report', 'docker'), {
        artifacts: [{ digests: { [ARTIFACT]: FINGERPRINT }, creationTimestamp: now }],
      }),
    },
  ]
}
