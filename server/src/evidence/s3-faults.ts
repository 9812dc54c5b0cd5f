// Says why an S3-compatible service failed, in one sentence for the log, /ready and the response. Anybody may read it, so
// it names no bucket, key or host.
import { EgressError, type EgressReason } from '@waybill/egress'
import { EvidenceFault, evidenceFailed, evidenceFull, evidenceNotKept } from '../lib/errors.ts'

/** The service refused a request. Its own words are for the log. */
export class S3Refusal extends Error {
  readonly status: number
  /** The service's name for the error, such as `AccessDenied`; undefined if it gave none. */
  readonly service_code: string | undefined

  constructor(method: string, status: number, service_code: string | undefined, text: string | undefined) {
    super(`${method}: ${joinWords(status, service_code)}${text === undefined ? '' : `: ${text}`}`)
    this.status = status
    this.service_code = service_code
  }
}

const joinWords = (status: number, service_code: string | undefined): string =>
  service_code === undefined ? String(status) : `${status} ${service_code}`

/** The service confirmed an upload, and has not kept what was sent. */
export class NotKept extends Error {}

interface Cause {
  sentence: string
  /** Until the operator does something. */
  lasting: boolean
}

const mend = (sentence: string): Cause => ({ sentence, lasting: true })
const wait = (sentence: string): Cause => ({ sentence, lasting: false })

const SILENT = wait('is not responding')
const REGION = mend('is in another region than WAYBILL_EVIDENCE_URL says')
const CREDENTIALS = mend('no longer accepts the credentials, which have expired')

const BY_CODE: Readonly<Record<string, Cause>> = {
  AccessDenied: mend('refuses access: the access key lacks a permission'),
  AllAccessDisabled: mend('refuses all access'),
  InvalidAccessKeyId: mend('does not know the access key'),
  SignatureDoesNotMatch: mend('does not accept the secret key'),
  ExpiredToken: CREDENTIALS,
  InvalidToken: CREDENTIALS,
  RequestTimeTooSkewed: mend('has another time than this machine: one of the clocks is wrong'),
  NoSuchBucket: mend('does not have the bucket of WAYBILL_EVIDENCE_URL'),
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  SlowDown: wait('asks for fewer requests'),
  RequestTimeout: SILENT,
}

/** The codes of services whose disk or quota is exhausted. */
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded'])

const BY_REASON: Readonly<Record<EgressReason, Cause>> = {
  bad_address: mend('has an address that may not be reached: check WAYBILL_EVIDENCE_URL'),
  inner_address: mend('has an address that may not be reached: check WAYBILL_EVIDENCE_URL'),
  unknown_name: mend('has a host name that cannot be resolved'),
  not_connected: wait('cannot be reached'),
  slow_connect: SILENT,
  slow_answer: SILENT,
  not_trusted: mend('has a certificate that is not trusted'),
  broken: wait('broke off the connection'),
  redirected: REGION,
}

const TOO_MANY = new Set([429, 503])
/** The store itself is full, as WebDAV has it. */
const INSUFFICIENT_STORAGE = 507

export function toS3Fault(error: unknown): EvidenceFault {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EvidenceFault) return cause
    if (cause instanceof NotKept) return evidenceNotKept(error)
    if (cause instanceof S3Refusal && isFull(cause)) return evidenceFull(error)
    const found = explain(cause)
    if (found) return makeFault(found, error)
  }
  return makeFault(wait('gave a response that Waybill does not understand'), error)
}

function makeFault({ sentence, lasting }: Cause, cause: unknown): EvidenceFault {
  return evidenceFailed(`the evidence store ${sentence}`, { cause, lasting })
}

function isFull({ status, service_code }: S3Refusal): boolean {
  return status === INSUFFICIENT_STORAGE || (service_code !== undefined && FULL.has(service_code))
}

function explain(error: Error): Cause | undefined {
  if (error instanceof S3Refusal) return explainRefusal(error)
  if (error instanceof EgressError) return addCode(BY_REASON[error.reason], error.code)
  if (error.name === 'TimeoutError') return SILENT
  return undefined
}

function explainRefusal({ status, service_code }: S3Refusal): Cause {
  const named = service_code === undefined ? undefined : BY_CODE[service_code]
  return addCode(named ?? explainStatus(status), joinWords(status, service_code))
}

function explainStatus(status: number): Cause {
  if (TOO_MANY.has(status)) return wait('asks for fewer requests')
  if (status >= 500) return wait('fails')
  if (status === 401 || status === 403) return mend('refuses access')
  if (status === 404) return mend('does not have the bucket of WAYBILL_EVIDENCE_URL')
  return mend('refuses the request')
}

const addCode = ({ sentence, lasting }: Cause, code: string | undefined): Cause => ({
  sentence: code === undefined ? sentence : `${sentence} (${code})`,
  lasting,
})
