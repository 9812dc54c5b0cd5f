// One mail domain: its state, its DNS record, and the buttons that check and release it.
import { Badge, Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconMinus } from '@tabler/icons-react'
import { api, unwrap } from '../../api.ts'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Copy } from '../../ui/command.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Details } from '../../ui/details.tsx'
import { Facts } from '../../ui/facts.tsx'
import { ErrorAlert } from '../../ui/states.tsx'
import { useChange } from '../../ui/use-change.ts'
import { provisioningTexts as texts } from './texts-provisioning.ts'

type MailDomain = Schemas['MailDomain']

interface DomainProps {
  org: string
  domain: MailDomain
}

const LOOKS = {
  proved: { word: texts.mailDomain.verified, Icon: IconCheck, color: 'green' },
  unproved: { word: texts.mailDomain.unverified, Icon: IconMinus, color: 'gray' },
  failing: { word: texts.mailDomain.failing, Icon: IconAlertTriangle, color: 'orange' },
} as const

export function MailDomainCard({ org, domain }: DomainProps) {
  const path = { org, domain: domain.domain }
  const { isAdmin } = useRole(org)
  const check = useChange(
    () => unwrap(api.POST('/mail-domains/{org}/{domain}/check', { params: { path } })),
    {
      notice: ({ problem, domain: checked }) =>
        problem === null
          ? texts.mailDomain.checkedVerified(checked)
          : texts.mailDomain.checkedUnverified(checked),
    },
  )
  const release = useChange(() => unwrap(api.DELETE('/mail-domains/{org}/{domain}', { params: { path } })), {
    notice: texts.mailDomain.released(domain.domain),
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
        <CheckResult domain={domain} />
        {domain.state === 'proved' ? (
          <Details title={texts.mailDomain.record}>
            <DnsRecord domain={domain} />
          </Details>
        ) : (
          <DnsRecord domain={domain} />
        )}
        {check.error && <ErrorAlert error={check.error} />}
        {isAdmin && (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={texts.mailDomain.checkLabel(domain.domain)}
              loading={check.isPending}
              onClick={() => check.mutate(undefined)}
            >
              {texts.mailDomain.check}
            </Button>
            <ConfirmButton
              label={texts.mailDomain.release}
              about={domain.domain}
              question={texts.mailDomain.releaseQuestion}
              change={release}
              input={undefined}
            />
          </Group>
        )}
      </Stack>
    </Card>
  )
}

function DomainState({ state }: Pick<MailDomain, 'state'>) {
  const { word, Icon, color } = LOOKS[state]
  return (
    <Badge
      color={color}
      variant={state === 'failing' ? 'outline' : 'light'}
      c="var(--mantine-color-text)"
      miw="max-content"
      leftSection={<Icon size={12} stroke={3} aria-hidden="true" />}
    >
      {word}
    </Badge>
  )
}

/** The result of the latest check, and what to do next. */
function CheckResult({
  domain: { state, problem, created_by, created_at, checked_at, proved_at },
}: Pick<DomainProps, 'domain'>) {
  return (
    <>
      {problem !== null && <Text fw={600}>{texts.mailDomain.problem(problem)}</Text>}
      {state === 'failing' && <Text>{texts.mailDomain.failingHelp}</Text>}
      {state === 'unproved' && <Text>{texts.mailDomain.unverifiedHelp}</Text>}
      <Text size="sm" c="dimmed">
        {texts.mailDomain.claimedBy(created_by)} <RelativeTime at={created_at} />
        {proved_at !== null && (
          <>
            {texts.mailDomain.verifiedAt} <RelativeTime at={proved_at} />
          </>
        )}
        {checked_at === null ? (
          texts.mailDomain.notChecked
        ) : (
          <>
            {texts.mailDomain.checkedAt} <RelativeTime at={checked_at} />
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
    [texts.mailDomain.type, record_type],
    [texts.mailDomain.name, record_name],
    [texts.mailDomain.value, record_value],
  ] as const
  return (
    <Facts
      rows={parts.map(([part, value]) => [
        part,
        <Group key={part} gap="xs" wrap="wrap">
          <Code className="long-name">{value}</Code>
          <Copy value={value} what={texts.mailDomain.copy(part, domain)} />
        </Group>,
      ])}
    />
  )
}
