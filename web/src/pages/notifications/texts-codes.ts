// The labels of API codes. Every page loads this file, because addresses name some of the codes.
import type { Schemas } from '../../parts/schemas.ts'

type EnvironmentTrigger = Schemas['EnvironmentNotification']['triggers'][number]
type FlowTrigger = Schemas['FlowNotification']['triggers'][number]
type Delivery = Schemas['NotificationDelivery']

export const codeTexts = {
  environmentTriggers: {
    ON_NON_COMPLIANT_ENV: 'An environment becomes non-compliant',
    ON_COMPLIANT_ENV: 'An environment becomes compliant again',
    ON_STALE_ENV: 'An environment becomes stale, or reports again',
    ON_STARTED_ARTIFACT: 'An artifact starts running',
    ON_EXITED_ARTIFACT: 'An artifact stops running',
    ON_SCALED_ARTIFACT: 'The number of instances of an artifact changes',
    ON_ALLOWED_ARTIFACT: 'An artifact is allowed in an environment',
  } satisfies Record<EnvironmentTrigger, string>,
  flowTriggers: {
    ON_STARTED_TRAIL: 'A trail begins',
    ON_ATTESTED_PROVENANCE: 'An artifact is reported',
    ON_ATTESTATION: 'An attestation is reported',
    ON_APPROVAL: 'An approval is requested or given',
    ON_RELEASE: 'An approval is given',
  } satisfies Record<FlowTrigger, string>,
  events: {
    NON_COMPLIANT_ENV: 'Environment became non-compliant',
    COMPLIANT_ENV: 'Environment became compliant',
    STALE_ENV: 'Environment became stale',
    REPORTING_ENV: 'Environment reports again',
    STARTED_ARTIFACT: 'Artifact started',
    EXITED_ARTIFACT: 'Artifact stopped',
    SCALED_ARTIFACT: 'Artifact scaled',
    ALLOWED_ARTIFACT: 'Artifact allowed',
    STARTED_TRAIL: 'Trail began',
    ATTESTED_PROVENANCE: 'Artifact reported',
    ATTESTATION: 'Attestation reported',
    APPROVAL: 'Approval created',
    RELEASE: 'Artifact approved',
    API_KEY_EXPIRY: 'API key expires soon',
    TEST: 'Test',
    TARGET_SWITCHED_OFF: 'Target switched off',
    LOG_FORK: 'Witness saw another log',
    SCIM_TOKEN_STOPPED: 'SCIM token stopped',
  } satisfies Record<Delivery['event_type'] | 'STALE_ENV' | 'REPORTING_ENV', string>,
  statuses: {
    pending: 'Waiting',
    delivered: 'Delivered',
    failed: 'Failed',
    suppressed: 'Not sent',
  } satisfies Record<Delivery['status'], string>,
  targetKinds: {
    EMAIL: 'Email',
    CHAT: 'Chat',
    WEBHOOK: 'Webhook',
  } satisfies Record<Schemas['NotificationTargetInput']['type'], string>,
} as const
