// The texts about the issuers of trust rules.

export const keylessTexts = {
  kind: 'CI system',
  kindHelp: 'Decides which claim identifies the repository, pipeline or account',
  kinds: {
    github: 'GitHub Actions',
    gitlab: 'GitLab CI',
    circleci: 'CircleCI',
    bitbucket: 'Bitbucket Pipelines',
    buildkite: 'Buildkite',
    azure: 'Azure Pipelines',
    jenkins: 'Jenkins (OpenID Connect Provider plugin)',
    kubernetes: 'Kubernetes service account',
    generic: 'Another OIDC issuer',
  },
  pin: (claim: string) =>
    `${claim} is required and compared as a whole. Branches, environments and workflows can end in *.`,
  ownAudience: 'This CI system chooses the audience of its tokens: enter it as the tokens have it.',
  keys: 'Public keys (JWKS)',
  keysHelp:
    'Only if this service cannot reach the issuer, such as a private cluster. Paste its public keys as JSON; they are never fetched then.',
  badKeys: 'This is not a JSON object with a list of keys',
} as const
