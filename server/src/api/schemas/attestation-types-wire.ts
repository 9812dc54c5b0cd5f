// The built-in attestation types as the API sends them.
import { type Static, Type } from 'typebox'
import type { AttestationType } from '../../domain/attestation/define-type.ts'
import { buildReportPath } from '../attestations/wire.ts'
import { about, Closed, OneOf } from '../shared/wire.ts'

const BuiltInAttestationType = Closed('BuiltInAttestationType', {
  name: Type.String(about('Name in templates, policies, filters and overrides', 'decision')),
  attestation_type: Type.String(about('The `attestation_type` of its attestations', 'system:decision')),
  title: Type.String(about('Short name for people', 'Decision on a control')),
  summary: Type.String(about('When an attestation of the type is compliant', 'Compliant when it says so')),
  is_stated: Type.Boolean(
    about('Whether the reporter states the verdict; otherwise it follows from the payload', true),
  ),
  example: Type.Record(
    Type.String(),
    Type.Unknown(),
    about('A body that reports an attestation of the type', {
      attestation_name: 'peer-review',
      is_compliant: true,
    }),
  ),
  command: Closed(
    'AttestationTypeCommand',
    {
      method: OneOf(['POST'], about('Method of the request', 'POST')),
      path: Type.String(
        about('Path of the request below `/api/v2`, with parameters in braces', buildReportPath('generic')),
      ),
      body: Type.Record(
        Type.String(),
        Type.Unknown(),
        about('The payload, with placeholders that are refused; the name and the target are missing', {
          is_compliant: 'TRUE_OR_FALSE',
        }),
      ),
      arguments: Type.Array(
        Type.String(),
        about('The same as arguments of `waybill attest`, with placeholders', [
          'generic',
          '--compliant=TRUE_OR_FALSE',
        ]),
      ),
    },
    about('The request that supplies missing evidence of the type'),
  ),
})

export const AttestationTypeList = Type.Array(BuiltInAttestationType, { title: 'AttestationTypeList' })

export function toWire(type: AttestationType): Static<typeof BuiltInAttestationType> {
  return {
    name: type.name,
    attestation_type: type.stored_name,
    title: type.title,
    summary: type.summary,
    is_stated: type.is_stated,
    example: { ...type.example },
    command: {
      method: 'POST',
      path: buildReportPath(type.operation),
      body: type.command,
      arguments: [...type.arguments],
    },
  }
}
