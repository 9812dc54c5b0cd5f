// `waybill mcp`: answers the questions of an assistant over the Model Context Protocol. Read-only.
import { defineCommand } from '../program/command.ts'

export const mcpCommands = [
  defineCommand({
    words: ['mcp'],
    summary: 'answer the questions of an assistant (Model Context Protocol); it only reads',
    details:
      'Talks over standard input and output until the input ends, so an assistant starts it by itself. It uses the same key, host and organization as every other command; give it a key with the role reader.',
    args: [],
    flags: {},
    needs: 'org',
    operations: [
      'listEnvironments',
      'listSnapshotArtifacts',
      'diffSnapshots',
      'listEnvironmentEvents',
      'getEnvironmentCompliance',
      'assertArtifact',
      'getTrail',
      'tryPolicy',
      'tryNewPolicy',
      'listDecisions',
      'searchBySha',
      'searchCommitTrails',
      'listAttestations',
      'listAllowLists',
      'getLogLeaf',
      'listFlows',
      'listTrails',
      'listArtifacts',
    ],
    examples: ['mcp --org acme'],
    run: async ({ context }) => {
      // Loaded only here, so that other commands start fast.
      const [{ serveMcp }, { questions }, { makeService }] = await Promise.all([
        import('../mcp/serve.ts'),
        import('../mcp/questions.ts'),
        import('../mcp/make-service.ts'),
      ])
      const { system, org } = context
      await serveMcp({
        input: system.getStdin(),
        write: system.writeOut,
        log: system.writeError,
        version: system.version,
        org,
        questions,
        service: makeService(context),
        makeMark: system.random_hex,
      })
      return undefined
    },
  }),
]
