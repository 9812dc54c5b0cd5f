// An artifact may have several fingerprints: an image for several platforms has one for its index and one for each platform.
// Its builder may have reported any of them.

/** The fingerprint whose provenance counts: the reported one if it is known, else the first known alternate. */
export function findKnownFingerprint(
  fingerprint: string,
  alternates: readonly string[],
  isKnown: (fingerprint: string) => boolean,
): string {
  return [fingerprint, ...alternates].find(isKnown) ?? fingerprint
}
