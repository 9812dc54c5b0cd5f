// One event: its sentence, its subject, and all recorded data. Its address never changes.
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type AuditEvent, EventSentence } from '../../parts/event-sentence.tsx'
import { ForRole } from '../../parts/for-role.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { Copy } from '../../ui/command.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { Facts } from '../../ui/facts.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { RawJson } from '../../ui/raw-json.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import { auditEventQuery } from './queries.ts'
import { peopleTexts as texts } from './texts.ts'

const PAGE = '/$org/settings/audit-events/$event'

export function AuditEventPage() {
  const { org, event } = useParams({ from: PAGE })
  return (
    <Stack>
      <Crumbs here={event}>
        <PageLink to="/$org/settings/audit-events" params={{ org }}>
          {texts.auditEvents.title}
        </PageLink>
      </Crumbs>
      <Title order={1}>{texts.auditEvent.title}</Title>
      <ForRole org={org} minRole="admin" what={texts.auditEvents.what} verb="see">
        <Content org={org} id={event} />
      </ForRole>
    </Stack>
  )
}

function Content({ org, id }: { org: string; id: string }) {
  const found = useQuery(auditEventQuery(org, id))
  if (found.isPending) return <Loading />
  if (found.error) return <ErrorAlert error={found.error} />
  return <Shown org={org} event={found.data} />
}

function Shown({ org, event }: { org: string; event: AuditEvent }) {
  return (
    <>
      <Text size="lg">
        <EventSentence org={org} event={event} />
      </Text>
      <Facts
        rows={[
          [texts.auditEvents.when, <ExactTime key="when" at={event.timestamp} />],
          [texts.auditEvents.kind, event.kind.replaceAll('_', ' ')],
          [texts.auditEvents.by, event.actor],
          [
            texts.auditEvent.address,
            <Group key="address" gap="xs">
              <span className="fingerprint">{event.html_url}</span>
              <Copy value={event.html_url} what={texts.auditEvent.whatToCopy} />
            </Group>,
          ],
        ]}
      />
      <Title order={2} size="h4">
        {texts.auditEvents.details}
      </Title>
      <RawJson value={event.data} />
    </>
  )
}
