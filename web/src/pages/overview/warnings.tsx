// Things that need attention soon: waiting decisions, unbound evidence, failing notifications and expiring keys.
import { Alert, List, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AttestationLink, FlowLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { describeDecision } from '../../parts/waiting-decisions.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import styles from '../../ui/text.module.css'
import { attentionQuery } from './queries.ts'
import { overviewTexts as texts } from './texts.ts'

const SOON_DAYS = 30
const DECISIONS_SHOWN = 5

/** Renders nothing if nothing waits: most organizations do not require a second person. */
export function DecisionsToConfirm({ org }: { org: string }) {
  const { data } = useQuery(attentionQuery(org))
  const decisions = data?.decisions ?? []
  if (decisions.length === 0) return null
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.decisions.title}
      </Title>
      <Alert color="blue" role="group" title={<span className={styles.plain}>{texts.decisions.alert}</span>}>
        <List size="sm">
          {decisions.slice(0, DECISIONS_SHOWN).map(decision => (
            <List.Item key={decision.id} className="long-name">
              {texts.decisions.asked(decision.asked_by, describeDecision(decision))}{' '}
              <RelativeTime at={decision.created_at} />
            </List.Item>
          ))}
        </List>
        <PageLink to="/$org/waiting-decisions" params={{ org }}>
          {decisions.length === 1 ? texts.decisions.viewOne : texts.decisions.viewAll(decisions.length)}
        </PageLink>
      </Alert>
    </section>
  )
}

export function UnboundEvidence({ org }: { org: string }) {
  const attention = useQuery(attentionQuery(org))
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.unbound.title}
      </Title>
      {attention.isPending ? (
        <Loading rows={1} />
      ) : attention.error ? (
        <ErrorAlert error={attention.error} />
      ) : attention.data.unbound_attestations.length === 0 ? (
        <Text c="dimmed">{texts.unbound.none}</Text>
      ) : (
        <Alert
          color="yellow"
          role="group"
          title={<span className={styles.plain}>{texts.unbound.alert}</span>}
        >
          <List size="sm">
            {attention.data.unbound_attestations.map(each => (
              <List.Item key={each.attestation_id} className="long-name">
                <AttestationLink
                  org={org}
                  flow={each.flow_name}
                  trail={each.trail_name}
                  attestation_id={each.attestation_id}
                >
                  {each.attestation_name}
                </AttestationLink>
                , <RelativeTime at={each.created_at} />
                {each.waiting_for !== null && `: ${each.waiting_for}`} {texts.unbound.inFlow}{' '}
                <FlowLink org={org} flow={each.flow_name} />
              </List.Item>
            ))}
          </List>
          <PageLink to="/$org/attestations" params={{ org }} search={{ is_waiting: true }}>
            {texts.unbound.all}
          </PageLink>
        </Alert>
      )}
    </section>
  )
}

/** Targets whose last delivery failed, whether or not it will be retried. */
export function FailingNotifications({ org }: { org: string }) {
  const attention = useQuery(attentionQuery(org))
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.notifications.title}
      </Title>
      {attention.isPending ? (
        <Loading rows={1} />
      ) : attention.error ? (
        <ErrorAlert error={attention.error} />
      ) : (
        <FailingList org={org} attention={attention.data} />
      )}
    </section>
  )
}

function FailingList({ org, attention }: { org: string; attention: Schemas['Attention'] }) {
  const { notification_count, failing_targets } = attention
  if (notification_count === 0) return <Text c="dimmed">{texts.notifications.none}</Text>
  if (failing_targets.length === 0) return <Text c="dimmed">{texts.notifications.allDelivered}</Text>
  return (
    <Alert color="red" role="group" title={<span className={styles.plain}>{texts.notifications.alert}</span>}>
      <List size="sm">
        {failing_targets.map(({ name, number, last_error, last_failure_at }) => (
          <List.Item key={`${number} ${last_failure_at} ${last_error}`}>
            {name}: {last_error}, <RelativeTime at={last_failure_at} />
          </List.Item>
        ))}
      </List>
      <PageLink to="/$org/settings/notifications/deliveries" params={{ org }}>
        {texts.notifications.all}
      </PageLink>
    </Alert>
  )
}

/** Renders nothing for roles that cannot see service accounts. */
export function ExpiringKeys({ org }: { org: string }) {
  const { isMember } = useRole(org)
  const attention = useQuery(attentionQuery(org))
  if (!isMember) return null
  const keys = attention.data?.expiring_keys ?? []
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.keys.title}
      </Title>
      {attention.isPending ? (
        <Loading rows={1} />
      ) : attention.error ? (
        <ErrorAlert error={attention.error} />
      ) : keys.length === 0 ? (
        <Text c="dimmed">{texts.keys.none(SOON_DAYS)}</Text>
      ) : (
        <Alert color="yellow" role="group" title={<span className={styles.plain}>{texts.keys.alert}</span>}>
          <List size="sm">
            {keys.map(key => (
              <List.Item key={key.id}>
                <PageLink to="/$org/settings/service-accounts/$name" params={{ org, name: key.account }}>
                  {key.account}
                </PageLink>
                {texts.keys.expires(key.description || key.hint)} <RelativeTime at={key.expires_at} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </section>
  )
}
