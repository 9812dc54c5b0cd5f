// A pipeline as data: its files, and what people must know about them.

export interface PipelineFile {
  /** The path in the user's repository. */
  path: string
  /** The path below deploy/ci. */
  written: string
  about: string
  /** YAML documents, or the text of a Jenkinsfile. */
  content: readonly object[] | string
}

export interface Pipeline {
  /** As in cli/src/ci/systems.ts. */
  system: string
  title: string
  /** What the trust rule must name, and how the job gets its token. */
  token: string
  files: readonly PipelineFile[]
}

export const joinLines = (lines: readonly string[]): string => `${lines.join('\n')}\n`
