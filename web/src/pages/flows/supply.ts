// Builds commands that report a trail's missing evidence. Their placeholders are refused: a command that is
// pasted unchanged must not record a made-up result.
import { buildApiPath, buildCurl, buildWaybill, fillApiPath } from '../../parts/curl.ts'
import type { Schemas } from '../../parts/schemas.ts'

const COMMIT_PLACEHOLDER = 'SHA1_OF_THE_COMMIT'
const FINGERPRINT_PLACEHOLDER = 'SHA256_OF_THE_ARTIFACT'

const REPORT_CUSTOM = '/attestations/{org}/{flow_name}/trail/{trail_name}/custom'
/** A slot that accepts any type shows the command for this one. */
const SIMPLEST_TYPE = 'generic'

type BuiltInType = Schemas['BuiltInAttestationType']
type SupplyCommand = Omit<BuiltInType['command'], 'method'>

function findCommand(types: BuiltInType[], type: string): SupplyCommand | undefined {
  if (type.startsWith('custom:')) {
    const type_name = type.slice('custom:'.length)
    return {
      path: REPORT_CUSTOM,
      body: { type_name, attestation_data: 'YOUR_DATA' },
      arguments: ['custom', '--type', type_name, '--attestation-data', 'YOUR_DATA.json'],
    }
  }
  const found = types.find(each => each.name === type || each.attestation_type === type)
  return (found ?? types.find(each => each.name === SIMPLEST_TYPE))?.command
}

export interface Target {
  /** The name of the artifact in the template; null for trail-level evidence. */
  artifact: string | null
  fingerprint: string | null
}

type TrailRef = Pick<Schemas['Trail'], 'flow_name' | 'name' | 'git_commit_info'>

interface MissingSlot {
  attestation_name: string
  attestation_type: string
}

/** For our own command line, which reads the output of the tool. */
export function buildAttestCommand(
  org: string,
  trail: TrailRef,
  slot: MissingSlot,
  { artifact, fingerprint }: Target,
  types: BuiltInType[],
): string {
  const words = findCommand(types, slot.attestation_type)?.arguments ?? []
  // An artifact that does not exist yet is named together with the attestation.
  const isExpected = artifact !== null && fingerprint === null
  const name = isExpected ? `${artifact}.${slot.attestation_name}` : slot.attestation_name
  const about = fingerprint === null ? [] : ['--fingerprint', fingerprint]
  const where = ['--flow', trail.flow_name, '--trail', trail.name]
  return buildWaybill(['attest', ...words, '--name', name, ...about, ...where], org)
}

export function buildAttestationCommand(
  org: string,
  trail: TrailRef,
  slot: MissingSlot,
  target: Target,
  types: BuiltInType[],
): string {
  const { path = '', body } = findCommand(types, slot.attestation_type) ?? {}
  const filled = fillApiPath(path, { org, flow_name: trail.flow_name, trail_name: trail.name })
  const { attestation_name } = slot
  return buildCurl('POST', filled, { attestation_name, ...buildTarget(trail, target), ...body })
}

function buildTarget(trail: TrailRef, { artifact, fingerprint }: Target): object {
  if (fingerprint !== null) return { artifact_fingerprint: fingerprint }
  if (artifact === null) return {}
  const sha1 = trail.git_commit_info?.sha1 ?? COMMIT_PLACEHOLDER
  return { target_artifacts: [artifact], git_commit_info: { sha1 } }
}

export function buildArtifactCommand(org: string, trail: TrailRef, template_reference_name: string): string {
  return buildCurl('POST', buildApiPath('artifacts', org, trail.flow_name), {
    fingerprint: FINGERPRINT_PLACEHOLDER,
    filename: template_reference_name,
    git_commit: trail.git_commit_info?.sha1 ?? COMMIT_PLACEHOLDER,
    build_url: 'https://ci.example/builds/1',
    commit_url: trail.git_commit_info?.url || 'https://git.example/commit/1',
    trail_name: trail.name,
    template_reference_name,
  })
}
