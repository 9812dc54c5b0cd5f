// CycloneDX 1.2 to 1.7 in XML.
import { CYCLONEDX_VERSIONS } from './cyclonedx-json.ts'
import type { EvidenceFile } from './evidence-file.ts'
import { EvidenceProblem } from './problem.ts'
import { buildSubject, buildTools, checkCreatedAt, checkSha256, type ReadSbom } from './sbom-document.ts'
import { quote } from './text.ts'
import { readXml, type XmlElement } from './xml.ts'

const NAMESPACE = /^https?:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/
const MAX_TEXT = 2_000
const MAX_TOOLS = 100

interface Draft {
  file: string
  version: string | undefined
  /** The line of the most recently opened element. */
  line: number
  timestamp: { text: string; line: number } | undefined
  tools: { name: string | undefined; version: string | undefined }[]
  has_subject: boolean
  subject: { name?: string; version?: string; purl?: string; sha256?: { text: string; line: number } }
  /** Whether the current hash is a SHA-256. */
  is_sha256: boolean
  package_count: number
}

export function readCycloneDxXml(file: EvidenceFile): ReadSbom {
  const draft: Draft = {
    file: file.name,
    version: undefined,
    line: 1,
    timestamp: undefined,
    tools: [],
    has_subject: false,
    subject: {},
    is_sha256: false,
    package_count: 0,
  }
  readXml(
    file,
    { max_text: MAX_TEXT, accepts_doctype_reference: false },
    {
      open: (element, path) => openElement(draft, element, path.join('/')),
      close: (name, path, text) => closeElement(draft, `${path.join('/')}/${name}`, text.trim()),
    },
  )
  const { name, version, purl, sha256 } = draft.subject
  const at = (line: number | undefined) => ({ file: file.name, place: `line ${line ?? 1}` })
  return {
    format: `cyclonedx-${draft.version}`,
    document: {
      created_at: checkCreatedAt(at(draft.timestamp?.line), draft.timestamp?.text),
      tools: buildTools(draft.tools),
      subject: draft.has_subject
        ? buildSubject({ name, version, purl, sha256: checkSha256(at(sha256?.line), sha256?.text) })
        : null,
      package_count: draft.package_count,
    },
  }
}

/** A component in the SBOM's list, or nested in such a component. */
const LISTED = /^bom\/components(?:\/component\/components)*$/
const TOOL = /^bom\/metadata\/tools\/(?:tool|components\/component|services\/service)$/
const SUBJECT = 'bom/metadata/component'

function openElement(draft: Draft, { name, namespace, attributes, line }: XmlElement, path: string): void {
  draft.line = line
  if (path === '') draft.version = readVersion(draft.file, name, namespace)
  else if (name === 'component' && LISTED.test(path)) {
    if (attributes.get('type') !== 'file') draft.package_count++
  } else if (TOOL.test(`${path}/${name}`) && draft.tools.length < MAX_TOOLS) {
    draft.tools.push({ name: undefined, version: undefined })
  } else if (`${path}/${name}` === SUBJECT) draft.has_subject = true
  else if (path === `${SUBJECT}/hashes`) draft.is_sha256 = attributes.get('alg') === 'SHA-256'
}

function readVersion(file: string, name: string, namespace: string): string {
  const version = name === 'bom' ? NAMESPACE.exec(namespace)?.[1] : undefined
  if (version !== undefined && CYCLONEDX_VERSIONS.includes(version)) return version
  const known = `${CYCLONEDX_VERSIONS[0]} to ${CYCLONEDX_VERSIONS.at(-1)}`
  throw new EvidenceProblem(
    file,
    'line 1',
    `expected <bom> in the namespace http://cyclonedx.org/schema/bom/ of the versions ${known}, found ${quote(name)} in ${quote(namespace)}.`,
  )
}

function closeElement(draft: Draft, path: string, text: string): void {
  const { subject, line } = draft
  const tool = draft.tools.at(-1)
  if (path === 'bom/metadata/timestamp') draft.timestamp = { text, line }
  else if (path === `${SUBJECT}/name`) subject.name = text
  else if (path === `${SUBJECT}/version`) subject.version = text
  else if (path === `${SUBJECT}/purl`) subject.purl = text
  else if (path === `${SUBJECT}/hashes/hash` && draft.is_sha256) subject.sha256 ??= { text, line }
  else if (tool && path.endsWith('/name') && TOOL.test(path.slice(0, -'/name'.length))) tool.name = text
  else if (tool && path.endsWith('/version') && TOOL.test(path.slice(0, -'/version'.length))) {
    tool.version = text
  }
}
