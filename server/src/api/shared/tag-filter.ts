// Filters by tags, as callers write them: `key`, or `key:value`.

export interface TagFilter {
  tag_keys: string[]
  /** One object for each tag with a value. */
  tag_pairs: readonly Record<string, string>[]
}

/** A key cannot contain a colon, so the value starts after the first one. */
export function parseTagFilter(tags: readonly string[]): TagFilter {
  const pairs = tags.filter(tag => tag.includes(':'))
  return {
    tag_keys: tags.filter(tag => !tag.includes(':')),
    tag_pairs: pairs.map(tag => {
      const colon = tag.indexOf(':')
      return { [tag.slice(0, colon)]: tag.slice(colon + 1) }
    }),
  }
}
