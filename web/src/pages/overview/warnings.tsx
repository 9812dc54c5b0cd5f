// Things that need attention soon: waiting decisions, unbound evidence, failing notifications and expiring keys.
import { Alert, List, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { AttestationLink, FlowLink } from '../../parts/links.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { describeDecision, waitingDecisionsQuery } from '../../parts/waiting-decisions.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorAlert, Loading } from '../../ui/states.tsx'
import styles from '../../ui/text.module.css'
import type { Notification } from '../notifications/codes.ts'
import { notificationsQuery } from '../notifications/queries.ts'
import { expiringKeysQuery, unboundEvidenceQuery } from './queries.ts'
import { overviewTexts as texts } from './texts.ts'

const SOON_DAYS = 30
const DECISIONS_SHOWN = 5

/** Renders nothing when nothing waits: most organizations do not require a second person. */
export function DecisionsToConfirm({ org }: { org: string }) {
  const { data = [] } = useQuery(waitingDecisionsQuery(org))
  if (data.length === 0) return null
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.decisions.title}
      </Title>
      <Alert color="blue" role="group" title={<span className={styles.plain}>{texts.decisions.alert}</span>}>
        <List size="sm">
          {data.slice(0, DECISIONS_SHOWN).map(decision => (
            <List.Item key={decision.id} className="long-name">
              {texts.decisions.asked(decision.asked_by, describeDecision(decision))}{' '}
              <RelativeTime at={decision.created_at} />
            </List.Item>
          ))}
        </List>
        <PageLink to="/$org/waiting-decisions" params={{ org }}>
          {data.length === 1 ? texts.decisions.viewOne : texts.decisions.viewAll(data.length)}
        </PageLink>
      </Alert>
    </section>
  )
}

export function UnboundEvidence({ org }: { org: string }) {
  const unbound = useQuery(unboundEvidenceQuery(org))
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.unbound.title}
      </Title>
      {unbound.isPending ? (
        <Loading rows={1} />
      ) : unbound.error ? (
        <ErrorAlert error={unbound.error} />
      ) : unbound.data.data.length === 0 ? (
        <Text c="dimmed">{texts.unbound.none}</Text>
      ) : (
        <Alert
          color="yellow"
          role="group"
          title={<span className={styles.plain}>{texts.unbound.alert}</span>}
        >
          <List size="sm">
            {unbound.data.data.map(each => (
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
  const notifications = useQuery(notificationsQuery(org))
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.notifications.title}
      </Title>
      {notifications.isPending ? (
        <Loading rows={1} />
      ) : notifications.error ? (
        <ErrorAlert error={notifications.error} />
      ) : (
        <FailingList org={org} notifications={notifications.data} />
      )}
    </section>
  )
}

function FailingList({ org, notifications }: { org: string; notifications: readonly Notification[] }) {
  const failing = notifications.filter(({ is_failing }) => is_failing)
  if (notifications.length === 0) return <Text c="dimmed">{texts.notifications.none}</Text>
  if (failing.length === 0) return <Text c="dimmed">{texts.notifications.allDelivered}</Text>
  return (
    <Alert color="red" role="group" title={<span className={styles.plain}>{texts.notifications.alert}</span>}>
      <List size="sm">
        {failing.map(({ name, number, targets }) => (
          <List.Item key={number}>
            {name}
            {targets
              .filter(({ is_failing }) => is_failing)
              .map(({ last_error, last_failure_at }) => (
                <Fragment key={`${last_failure_at} ${last_error}`}>
                  : {last_error}, <RelativeTime at={last_failure_at} />
                </Fragment>
              ))}
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
  const keys = useQuery({ ...expiringKeysQuery(org, SOON_DAYS), enabled: isMember })
  if (!isMember) return null
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {texts.keys.title}
      </Title>
      {keys.isPending ? (
        <Loading rows={1} />
      ) : keys.error ? (
        <ErrorAlert error={keys.error} />
      ) : keys.data.length === 0 ? (
        <Text c="dimmed">{texts.keys.none(SOON_DAYS)}</Text>
      ) : (
        <Alert color="yellow" role="group" title={<span className={styles.plain}>{texts.keys.alert}</span>}>
          <List size="sm">
            {keys.data.map(key => (
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
