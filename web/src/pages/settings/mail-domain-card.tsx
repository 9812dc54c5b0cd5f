// One mail domain: whether it is proved, the DNS record that proves it, and the ways to check it and to give it up.
import { Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Details } from '../../ui/details.tsx'
import { Facts } from '../../ui/facts.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'

type MailDomain = Schemas['MailDomain']

interface DomainProps {
  org: string
  domain: MailDomain
}

const LOOKS = {
  proved: { word: 'Proved', sign: '✓', color: 'green' },
  unproved: { word: 'Not proved', sign: '–', color: 'gray' },
  failing: { word: 'Failing', sign: '!', color: 'orange' },
} as const

export function MailDomainCard({ org, domain }: DomainProps) {
  const path = { org, domain: domain.domain }
  const check = useChange(
    () => unwrap(api.POST('/mail-domains/{org}/{domain}/check', { params: { path } })),
    {
      notice: after => (after.problem === null ? `${after.domain} is proved` : `${after.domain} was checked`),
    },
  )
  const release = useChange(() => unwrap(api.DELETE('/mail-domains/{org}/{domain}', { params: { path } })), {
    notice: `Gave up ${domain.domain}`,
  })
  return (
    <Card withBorder component="section" aria-label={domain.domain}>
      <Stack gap="sm">
        <Group gap="sm">
          <Title order={2} size="h3">
            {domain.domain}
          </Title>
          <DomainState state={domain.state} />
        </Group>
        <Progress domain={domain} />
        {domain.state === 'proved' ? (
          <Details title="The DNS record, which must stay">
            <DnsRecord domain={domain} />
          </Details>
        ) : (
          <DnsRecord domain={domain} />
        )}
        {check.error && <ErrorAlert error={check.error} />}
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Check now: ${domain.domain}`}
            loading={check.isPending}
            onClick={() => check.mutate(undefined)}
          >
            Check now
          </Button>
          <ConfirmButton
            label="Give up"
            about={domain.domain}
            question="Members stay. The directory invites people with addresses there from now on."
            change={release}
            input={undefined}
          />
        </Group>
      </Stack>
    </Card>
  )
}

function DomainState({ state }: Pick<MailDomain, 'state'>) {
  const { word, sign, color } = LOOKS[state]
  return (
    <Badge
      color={color}
      variant={state === 'failing' ? 'outline' : 'light'}
      c="var(--mantine-color-text)"
      miw="max-content"
      leftSection={<span aria-hidden="true">{sign}</span>}
    >
      {word}
    </Badge>
  )
}

/** What the latest check has found, and what to do about it. */
function Progress({
  domain: { state, problem, created_by, created_at, checked_at, proved_at },
}: Pick<DomainProps, 'domain'>) {
  return (
    <>
      {problem !== null && <Text fw={600}>{problem}.</Text>}
      {state === 'failing' && (
        <Text>The domain counts as proved until the record has been missing for seven days.</Text>
      )}
      {state === 'unproved' && (
        <Text>Create this record where the DNS of the domain is managed, then check it.</Text>
      )}
      <Text size="sm" c="dimmed">
        Claimed by {created_by} <RelativeTime at={created_at} />
        {proved_at !== null && (
          <>
            , proved <RelativeTime at={proved_at} />
          </>
        )}
        ,{' '}
        {checked_at === null ? (
          'not checked yet'
        ) : (
          <>
            checked <RelativeTime at={checked_at} />
          </>
        )}
      </Text>
    </>
  )
}

function DnsRecord({
  domain: { domain, record_type, record_name, record_value },
}: Pick<DomainProps, 'domain'>) {
  const parts = [
    ['Type', record_type],
    ['Name', record_name],
    ['Value', record_value],
  ] as const
  return (
    <Facts
      rows={parts.map(([part, value]) => [
        part,
        <Group key={part} gap="xs" wrap="wrap">
          <Code className="long-name">{value}</Code>
          <Copy value={value} what={`the ${part.toLowerCase()} of the record of ${domain}`} />
        </Group>,
      ])}
    />
  )
}
