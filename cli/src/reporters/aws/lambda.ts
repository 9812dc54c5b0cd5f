// Observes the code of Lambda functions, using only the list of functions.
import { readBody } from '../../http/exchange.ts'
import type { Observation } from '../observation.ts'
import type { SendToAws } from './client.ts'
import type { NamePick } from './pick-names.ts'
import type { AwsCredentials } from './sign.ts'

export interface LambdaParts {
  send: SendToAws
  getCredentials(): Promise<AwsCredentials>
  functions: NamePick
  /** Includes the published versions, which aliases can refer to. */
  has_versions: boolean
  region: string
  observed_at: number
}

interface LambdaFunction {
  FunctionName?: string
  Version?: string
  CodeSha256?: string
  PackageType?: string
  LastModified?: string
}

const PATH = '/2015-03-31/functions/'
const PAGE = '50'
const LATEST = '$LATEST'

export async function observeFunctions(parts: LambdaParts): Promise<Observation> {
  const { functions, has_versions, region, observed_at } = parts
  const all = await listFunctions(parts)
  const elements: object[] = []
  const missing: string[] = []
  const picked = all.filter(({ FunctionName = '' }) => functions.isPicked(FunctionName))
  for (const each of sortFunctions(picked)) {
    const digest = readDigest(each)
    const name = getName(each)
    if (digest === undefined) missing.push(`function ${name}: AWS does not say what its code is`)
    else elements.push({ digests: { [name]: digest }, creationTimestamp: toSeconds(each.LastModified) })
  }
  for (const name of functions.listed ?? [])
    if (!picked.some(({ FunctionName }) => FunctionName === name))
      missing.push(`function ${name}: there is none in ${region}`)
  const scope = `${region}: ${functions.description}${has_versions ? ', all versions' : ''}`
  return { elements, missing, observed_at, scope }
}

async function listFunctions(parts: LambdaParts): Promise<LambdaFunction[]> {
  const found: LambdaFunction[] = []
  let marker: string | undefined
  do {
    const answer = await parts.send({
      service: 'lambda',
      method: 'GET',
      path: PATH,
      query: {
        MaxItems: PAGE,
        ...(parts.has_versions ? { FunctionVersion: 'ALL' } : {}),
        ...(marker === undefined ? {} : { Marker: marker }),
      },
      credentials: await parts.getCredentials(),
    })
    const page = JSON.parse((await readBody(answer)).toString('utf8')) as {
      Functions?: LambdaFunction[]
      NextMarker?: string | null
    }
    found.push(...(page.Functions ?? []))
    marker = page.NextMarker ?? undefined
  } while (marker !== undefined)
  return found
}

/** The base64 hash of an archive, or the hexadecimal digest of an image. */
function readDigest({ CodeSha256: code = '' }: LambdaFunction): string | undefined {
  const hex = code.replace(/^sha256:/, '')
  if (/^[0-9a-f]{64}$/.test(hex)) return hex
  const bytes = Buffer.from(code, 'base64')
  return bytes.length === 32 ? bytes.toString('hex') : undefined
}

/** An element has the name of the function; a published version also has its number. */
const getName = ({ FunctionName = '', Version = LATEST }: LambdaFunction): string =>
  Version === LATEST ? FunctionName : `${FunctionName}:${Version}`

const sortFunctions = (functions: readonly LambdaFunction[]): LambdaFunction[] =>
  [...functions].sort((one, other) => (getName(one) < getName(other) ? -1 : 1))

/** `2026-01-02T03:04:05.000+0000` */
function toSeconds(time: string | undefined): number {
  const ms = Date.parse((time ?? '').replace(/\+0000$/, 'Z'))
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000)
}
