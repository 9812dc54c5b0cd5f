// Request limits: enforced in http/, published in the OpenAPI document and in GET /meta.

const KIB = 1024
const MIB = 1024 * KIB

export const LIMITS = {
  json_body_bytes: MIB,
  environment_report_bytes: 16 * MIB,
  multipart_json_part_bytes: MIB,
  multipart_file_part_bytes: 10 * MIB,
  multipart_request_bytes: 32 * MIB,
  evidence_files: 10,
  evidence_file_bytes: 64 * MIB,
  evidence_content_bytes: 256 * MIB,
  json_depth: 64,
  url_bytes: 8 * KIB,
} as const
