// What will hurt soon if nobody looks: decisions that wait for a second person, evidence that is about nothing yet, messages that did not arrive, keys that end.
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
import { endingKeysQuery, unboundEvidenceQuery } from './queries.ts'

const SOON_DAYS = 30
const DECISIONS_SHOWN = 5

/** Nothing where nothing waits: most organizations do not require two persons. */
export function DecisionsToConfirm({ org }: { org: string }) {
  const { data = [] } = useQuery(waitingDecisionsQuery(org))
  if (data.length === 0) return null
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        Waiting decisions
      </Title>
      <Alert
        color="blue"
        role="group"
        title={<span className={styles.plain}>These wait for a second person</span>}
      >
        <List size="sm">
          {data.slice(0, DECISIONS_SHOWN).map(decision => (
            <List.Item key={decision.id} className="long-name">
              {decision.asked_by} asked for {describeDecision(decision)},{' '}
              <RelativeTime at={decision.created_at} />
            </List.Item>
          ))}
        </List>
        <PageLink to="/$org/waiting-decisions" params={{ org }}>
          {data.length === 1 ? 'Look at it' : `Look at all ${data.length}`}
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
        Unbound evidence
      </Title>
      {unbound.isPending ? (
        <Loading rows={1} />
      ) : unbound.error ? (
        <ErrorAlert error={unbound.error} />
      ) : unbound.data.data.length === 0 ? (
        <Text c="dimmed">No attestation waits for its artifact.</Text>
      ) : (
        <Alert
          color="yellow"
          role="group"
          title={<span className={styles.plain}>These wait for their artifact</span>}
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
                {each.waiting_for !== null && `: ${each.waiting_for}`} in flow{' '}
                <FlowLink org={org} flow={each.flow_name} />
              </List.Item>
            ))}
          </List>
          <PageLink to="/$org/attestations" params={{ org }} search={{ is_waiting: true }}>
            All that wait
          </PageLink>
        </Alert>
      )}
    </section>
  )
}

/** Targets of which the last message did not arrive, whether it is tried again or not. */
export function FailingNotifications({ org }: { org: string }) {
  const notifications = useQuery(notificationsQuery(org))
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        Failing notifications
      </Title>
      {notifications.isPending ? (
        <Loading rows={1} />
      ) : notifications.error ? (
        <ErrorAlert error={notifications.error} />
      ) : (
        <Failing org={org} notifications={notifications.data} />
      )}
    </section>
  )
}

function Failing({ org, notifications }: { org: string; notifications: readonly Notification[] }) {
  const failing = notifications.filter(({ is_failing }) => is_failing)
  if (notifications.length === 0) return <Text c="dimmed">Nobody is told of anything yet.</Text>
  if (failing.length === 0) return <Text c="dimmed">All of them arrive.</Text>
  return (
    <Alert color="red" role="group" title={<span className={styles.plain}>These do not arrive</span>}>
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
        All deliveries
      </PageLink>
    </Alert>
  )
}

/** Nothing for those who may not see the accounts. */
export function EndingKeys({ org }: { org: string }) {
  const { isMember } = useRole(org)
  const keys = useQuery({ ...endingKeysQuery(org, SOON_DAYS), enabled: isMember })
  if (!isMember) return null
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        Keys that end soon
      </Title>
      {keys.isPending ? (
        <Loading rows={1} />
      ) : keys.error ? (
        <ErrorAlert error={keys.error} />
      ) : keys.data.length === 0 ? (
        <Text c="dimmed">No key of a service account ends within {SOON_DAYS} days.</Text>
      ) : (
        <Alert color="yellow" role="group" title={<span className={styles.plain}>Rotate these in time</span>}>
          <List size="sm">
            {keys.data.map(key => (
              <List.Item key={key.id}>
                <PageLink to="/$org/settings/service-accounts/$name" params={{ org, name: key.account }}>
                  {key.account}
                </PageLink>
                : {key.description || key.hint} ends <RelativeTime at={key.expires_at} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </section>
  )
}
