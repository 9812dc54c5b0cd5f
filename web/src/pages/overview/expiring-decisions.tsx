// Decisions on controls that expire soon and that running artifacts depend on: people who may decide are
// asked to decide again.
import { Alert, List, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArtifactLink, ControlLink, EnvironmentLink, FlowLink, TrailLink } from '../../parts/links.tsx'
import type { Schemas } from '../../parts/schemas.ts'
import { ExactTime, RelativeTime } from '../../parts/time.tsx'
import { useRole } from '../../parts/use-role.ts'
import { Details } from '../../ui/details.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { dropUndefined } from '../../ui/search-params.ts'
import styles from '../../ui/text.module.css'
import { attentionQuery } from './queries.ts'
import { overviewTexts as texts } from './texts.ts'

/** The others are collapsed. */
const SHOWN = 5

/** Renders nothing when nothing expires: most decisions have no expiry. */
export function ExpiringDecisions({ org }: { org: string }) {
  const { data } = useQuery(attentionQuery(org))
  if (data === undefined || data.expiring_decisions.length === 0) return null
  return (
    <section aria-label={texts.expiring.title}>
      <Title order={2} size="h3" mb="xs">
        {texts.expiring.title}
      </Title>
      <Found org={org} attention={data} />
    </section>
  )
}

function Found({ org, attention }: { org: string; attention: Schemas['Attention'] }) {
  const { expiring_decisions: listed, expiring_decision_count: total } = attention
  const folded = listed.slice(SHOWN)
  return (
    <Alert color="yellow" role="group" title={<span className={styles.plain}>{texts.expiring.alert}</span>}>
      <DecisionList org={org} decisions={listed.slice(0, SHOWN)} />
      {folded.length > 0 && (
        <Details title={texts.expiring.more(folded.length)}>
          <DecisionList org={org} decisions={folded} />
        </Details>
      )}
      {total > listed.length && <Text size="sm">{texts.expiring.notShown(total - listed.length)}</Text>}
    </Alert>
  )
}

type ExpiringDecision = Schemas['ExpiringDecision']

function DecisionList({ org, decisions }: { org: string; decisions: readonly ExpiringDecision[] }) {
  return (
    <List size="sm">
      {decisions.map(decision => (
        <List.Item key={decision.id} className="long-name">
          <DecisionItem org={org} decision={decision} />
        </List.Item>
      ))}
    </List>
  )
}

function DecisionItem({ org, decision }: { org: string; decision: ExpiringDecision }) {
  const { isMember } = useRole(org)
  const { control, flow_name: flow, trail_name: trail, artifact_fingerprint: fingerprint } = decision
  return (
    <>
      {control === null ? decision.attestation_name : <ControlLink org={org} identifier={control} />}{' '}
      {texts.expiring.on}{' '}
      {fingerprint !== null && (
        <>
          <ArtifactLink org={org} flow={flow} fingerprint={fingerprint}>
            {decision.artifact_name}
          </ArtifactLink>
          ,{' '}
        </>
      )}
      <FlowLink org={org} flow={flow} /> / <TrailLink org={org} flow={flow} trail={trail} />
      {texts.expiring.decidedBy(decision.decided_by)} {texts.expiring.runsIn}{' '}
      {decision.environments.map((environment, position) => (
        <span key={environment}>
          {position > 0 && ', '}
          <EnvironmentLink org={org} environment={environment} />
        </span>
      ))}
      . {texts.expiring.expires} <RelativeTime at={decision.expires_at} /> (
      <ExactTime at={decision.expires_at} />
      ).{' '}
      {isMember && control !== null && (
        <PageLink
          to="/$org/controls/$identifier/decide"
          params={{ org, identifier: control }}
          search={dropUndefined({
            flow,
            trail,
            fingerprint: fingerprint ?? undefined,
            attestation: decision.attestation_name,
          })}
        >
          {texts.expiring.decide(control)}
        </PageLink>
      )}
    </>
  )
}
