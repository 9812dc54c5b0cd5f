// What will hurt soon if nobody looks: messages that did not arrive, keys that end.
import { Alert, List, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiProblem } from '../../api.ts'
import { Moment } from '../../parts/moment.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { endingKeysQuery, failedDeliveriesQuery } from './queries.ts'

const SOON_DAYS = 30

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
        <Alert color="red" role="group" title="These did not arrive">
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
  const keys = useQuery(endingKeysQuery(org, SOON_DAYS))
  if (keys.error instanceof ApiProblem && keys.error.status === 403) return null
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
        <Alert color="yellow" role="group" title="Rotate these in time">
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
