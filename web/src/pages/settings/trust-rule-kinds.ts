// The kinds of issuers in the form of a trust rule: the claim that pins each, and an example of its address.
import type { Schemas } from '../../parts/schemas.ts'

export type IssuerKind = Schemas['TrustRule']['issuer_kind']

interface KindFacts {
  pin: string
  issuer: string
  hasOwnAudience?: boolean
}

export const KINDS: Readonly<Record<IssuerKind, KindFacts>> = {
  github: { pin: 'repository_id', issuer: 'https://token.actions.githubusercontent.com' },
  gitlab: { pin: 'project_id', issuer: 'https://gitlab.com' },
  circleci: {
    pin: 'oidc.circleci.com/project-id',
    issuer: 'https://oidc.circleci.com/org/<organization id>',
    hasOwnAudience: true,
  },
  bitbucket: {
    pin: 'repositoryUuid',
    issuer: 'https://api.bitbucket.org/2.0/workspaces/<workspace>/pipelines-config/identity/oidc',
    hasOwnAudience: true,
  },
  buildkite: { pin: 'pipeline_id', issuer: 'https://agent.buildkite.com' },
  azure: { pin: 'sub', issuer: 'https://vstoken.dev.azure.com/<organization id>', hasOwnAudience: true },
  jenkins: { pin: 'sub', issuer: 'https://jenkins.example.com/oidc' },
  kubernetes: { pin: 'sub', issuer: 'https://kubernetes.default.svc.cluster.local' },
  generic: { pin: 'sub', issuer: 'https://issuer.example.com' },
}
