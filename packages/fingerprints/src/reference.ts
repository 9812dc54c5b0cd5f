// Image names, as people type them: `alpine`, `ghcr.io/acme/web:1.2`, `localhost:5000/web@sha256:…`.
import { FingerprintProblem } from './problem.ts'

const HUB = 'docker.io'
const HUB_ALIASES: readonly string[] = [HUB, 'index.docker.io', 'registry-1.docker.io']
const HUB_API = 'registry-1.docker.io'
const MAX_NAME = 255

const HOST =
  /^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/
const PART = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/

export interface ImageReference {
  /** As people write it: docker.io for Docker Hub. */
  registry: string
  /** The host of its API. */
  api_host: string
  /** Such as library/alpine. */
  repository: string
  tag: string | undefined
  digest: string | undefined
}

/** Adds Docker's defaults: its registry, `library/` there, and the tag `latest`. */
export function parseReference(text: string): ImageReference {
  const refuse = (why: string) =>
    new FingerprintProblem('invalid', `${JSON.stringify(text)} is not the name of an image: ${why}`)
  if (/^[a-z0-9+.-]+:\/\//i.test(text)) throw refuse('leave out the part up to "://".')
  const at = text.indexOf('@')
  const digest = at < 0 ? undefined : text.slice(at + 1)
  if (digest !== undefined && !DIGEST.test(digest)) {
    throw refuse('after "@" it needs a digest: "sha256:" and 64 lower-case hexadecimal digits.')
  }
  const named = at < 0 ? text : text.slice(0, at)
  const colon = named.lastIndexOf(':')
  const hasTag = colon > named.lastIndexOf('/')
  const tag = hasTag ? named.slice(colon + 1) : undefined
  if (tag !== undefined && !TAG.test(tag))
    throw refuse(`the tag ${JSON.stringify(tag)} has other characters than allowed.`)
  const { registry, path } = splitHost(hasTag ? named.slice(0, colon) : named)
  if (!HOST.test(registry)) throw refuse(`${JSON.stringify(registry)} is not the host of a registry.`)
  const isHub = HUB_ALIASES.includes(registry)
  const repository = isHub && !path.includes('/') ? `library/${path}` : path
  if (repository.length > MAX_NAME || !repository.split('/').every(part => PART.test(part))) {
    throw refuse(
      `${JSON.stringify(path)} is no repository: lower-case letters, digits and single ".", "_", "-" between them.`,
    )
  }
  return {
    registry: isHub ? HUB : registry,
    api_host: isHub ? HUB_API : registry,
    repository,
    tag: tag ?? (digest === undefined ? 'latest' : undefined),
    digest,
  }
}

export function formatReference({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`
}

/** Whether the host is this machine, where registries usually have no certificate. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host)
}

/** The first part is a host unless it can be a user name. */
function splitHost(name: string): { registry: string; path: string } {
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  const isHost = /[.:[]/.test(first) || first === 'localhost' || first !== first.toLowerCase()
  return isHost ? { registry: first, path: name.slice(slash + 1) } : { registry: HUB, path: name }
}
