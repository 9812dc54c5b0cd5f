// The kinds of change of an artifact, as words.

/** `started-non-compliant` is read as started, non-compliant. */
export const changeWords = (type: string) => type.replace('-', ' ')
