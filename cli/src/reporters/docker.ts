// Observes the running containers of Docker or Podman, using the Engine API.
import type { EngineRequest } from '@waybill/fingerprints'
import { Problem } from '../program/problem.ts'
import type { Observation } from './observation.ts'

interface Container {
  Id?: string
  Names?: readonly string[]
  Image?: string
  ImageID?: string
  Created?: number
}

interface Image {
  RepoDigests?: readonly string[] | null
}

const REPO_DIGEST = /^(.+)@sha256:([0-9a-f]{64})$/

export async function observeContainers(request: EngineRequest, observed_at: number): Promise<Observation> {
  const containers = (await ask(request, '/containers/json')) as Container[]
  const elements: object[] = []
  const missing: string[] = []
  const images = new Map<string, readonly string[]>()
  for (const { Id = '', Names = [], Image: image = '', ImageID: id = '', Created = 0 } of containers) {
    const name = Names[0]?.replace(/^\//, '') ?? Id.slice(0, 12)
    if (!images.has(id)) images.set(id, await listDigests(request, id))
    const digest = pickDigest(images.get(id) ?? [], image)
    if (digest === undefined)
      missing.push(
        `container ${name}: the image ${image} was built here and never pushed, so it has no digest`,
      )
    else elements.push({ digests: { [image]: digest }, creationTimestamp: Created })
  }
  return { elements, missing, observed_at, scope: 'running containers' }
}

async function listDigests(request: EngineRequest, id: string): Promise<readonly string[]> {
  const { RepoDigests } = (await ask(request, `/images/${encodeURIComponent(id)}/json`)) as Image
  return RepoDigests ?? []
}

/**
 * An image can have digests in several repositories; use the digest for the name that the container was
 * started with.
 */
function pickDigest(digests: readonly string[], image: string): string | undefined {
  const parsed = digests.flatMap(text => {
    const [, repository = '', digest = ''] = REPO_DIGEST.exec(text) ?? []
    return digest === '' ? [] : [{ repository, digest }]
  })
  const repository = image.replace(/@.*$/, '').replace(/:[^/:]+$/, '')
  const own = parsed.find(
    each => each.repository === repository || each.repository.endsWith(`/${repository}`),
  )
  return (own ?? parsed[0])?.digest
}

async function ask(request: EngineRequest, path: string): Promise<unknown> {
  let answer: Awaited<ReturnType<EngineRequest>>
  try {
    answer = await request(path)
  } catch (error) {
    throw new Problem(
      `The container engine cannot be reached: ${error instanceof Error ? error.message : error}`,
      {
        exit: 'unreachable',
        hint: 'Start Docker or Podman, or set DOCKER_HOST to its socket.',
      },
    )
  }
  if (answer.status !== 200)
    throw new Problem(`The container engine answered ${answer.status} to ${path}`, { exit: 'unreachable' })
  return JSON.parse(answer.body)
}
