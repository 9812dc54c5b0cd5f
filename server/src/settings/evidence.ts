// The evidence store settings.
import { readText, readUrlWithScheme } from './readers.ts'
import { defineOptional, type Environment, makeReader, type Settings } from './setting.ts'

export const EVIDENCE_SETTINGS = {
  WAYBILL_EVIDENCE_URL: defineOptional({
    meaning:
      'where attachments are stored: `file:///…` or `s3://bucket/prefix?endpoint=…&region=…`; see [evidence store](install.md#evidence-store)',
    unset: 'the data directory',
    example: 's3://evidence/waybill?region=eu-central-1',
    parse: readUrlWithScheme('file', 's3'),
  }),
  AWS_ACCESS_KEY_ID: defineOptional({
    meaning: 'key id for an `s3://` evidence store; user info in its URL takes precedence',
    unset: 'unset',
    example: 'AKIAEXAMPLE',
    is_secret: true,
    parse: readText,
  }),
  AWS_SECRET_ACCESS_KEY: defineOptional({
    meaning: 'secret for an `s3://` evidence store; user info in its URL takes precedence',
    unset: 'unset',
    example: 'the-secret-of-the-key',
    is_secret: true,
    parse: readText,
  }),
} satisfies Settings

export interface EvidenceConfig {
  evidence_url: string | undefined
  s3_credentials: { access_key_id: string | undefined; secret_access_key: string | undefined }
}

export function readEvidenceConfig(environment: Environment): EvidenceConfig {
  const read = makeReader(EVIDENCE_SETTINGS, environment)
  return {
    evidence_url: read('WAYBILL_EVIDENCE_URL'),
    s3_credentials: {
      access_key_id: read('AWS_ACCESS_KEY_ID'),
      secret_access_key: read('AWS_SECRET_ACCESS_KEY'),
    },
  }
}
