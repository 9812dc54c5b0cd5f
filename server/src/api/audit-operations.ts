// The operations of audit packages and audit events.
import { exportAuditEvents } from './audit-events/export.ts'
import { getAuditEvent } from './audit-events/get.ts'
import { listAuditEvents } from './audit-events/list.ts'
import { listAuditEventValues } from './audit-events/list-values.ts'
import { getArtifactPackage } from './audit-packages/of-artifact.ts'
import { getAttestationPackage } from './audit-packages/of-attestation.ts'
import { getControlPackage } from './audit-packages/of-control.ts'
import { getEnvironmentPackage } from './audit-packages/of-environment.ts'
import { getOrganizationPackage } from './audit-packages/of-organization.ts'
import { getSnapshotPackage } from './audit-packages/of-snapshot.ts'
import { getTrailPackage } from './audit-packages/of-trail.ts'
import { getArtifactPdf } from './audit-packages/pdf-of-artifact.ts'
import { getTrailPdf } from './audit-packages/pdf-of-trail.ts'
import type { Operation } from './operation.ts'

export const AUDIT_OPERATIONS: readonly Operation[] = [
  getTrailPackage,
  getTrailPdf,
  getArtifactPackage,
  getArtifactPdf,
  getAttestationPackage,
  getEnvironmentPackage,
  getSnapshotPackage,
  getControlPackage,
  getOrganizationPackage,
  listAuditEvents,
  getAuditEvent,
  listAuditEventValues,
  exportAuditEvents,
]
