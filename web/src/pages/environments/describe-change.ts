// Describes how an artifact changed between two snapshots.

/** `started-non-compliant` becomes `started non-compliant`. */
export const describeChange = (type: string) => type.replace('-', ' ')
