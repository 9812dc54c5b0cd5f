// What will hurt soon if nobody looks: evidence that is about nothing yet, messages that did not arrive, keys that end.
import { Alert, List, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { AttestationLink, FlowLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useRole } from '../../parts/use-role.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import styles from '../../ui/text.module.css'
import { endingKeysQuery, failedDeliveriesQuery, unboundEvidenceQuery } from './queries.ts'

const SOON_DAYS = 30

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
        <Failed error={unbound.error} />
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
                , <Moment at={each.created_at} />
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

export function FailedDeliveries({ org }: { org: string }) {
  const failed = useQuery(failedDeliveriesQuery(org))
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        Failing notifications
      </Title>
      {failed.isPending ? (
        <Loading rows={1} />
      ) : failed.error ? (
        <Failed error={failed.error} />
      ) : failed.data.deliveries.length === 0 ? (
        <Text c="dimmed">None failed in the last week.</Text>
      ) : (
        <Alert color="red" role="group" title={<span className={styles.plain}>These did not arrive</span>}>
          <List size="sm">
            {failed.data.deliveries.map(each => (
              <List.Item key={each.id}>
                {each.description}, to {each.target.shown}, <Moment at={each.created_at} />
                {each.error !== null && `: ${each.error}`}
              </List.Item>
            ))}
          </List>
          <PageLink to="/$org/settings/notifications/deliveries" params={{ org }}>
            All deliveries
          </PageLink>
        </Alert>
      )}
    </section>
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
        <Failed error={keys.error} />
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
                : {key.description || key.hint} ends <Moment at={key.expires_at} />
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </section>
  )
}
