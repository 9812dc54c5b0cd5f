// Tags: key-value labels of flows, environments, repositories and controls.

export type Tags = Record<string, string>
