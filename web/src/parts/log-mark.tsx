// The position of a record in its organization's log, with its proof as a file.
import { Anchor, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiProblem } from '../api.ts'
import { PageLink } from '../ui/page-link.tsx'
import { buildApiPath } from './curl.ts'
import { type LeafName, logPlaceQuery } from './queries.ts'
import { partsTexts as texts } from './texts.ts'

const NOT_FOUND = 404

interface MarkProps {
  org: string
  /** The record on the page. */
  of: LeafName
}

/** One line, even while loading, so that the layout does not shift. */
export function LogMark({ org, of }: MarkProps) {
  const place = useQuery(logPlaceQuery(org, of))
  if (place.isPending)
    return <Skeleton component="span" display="inline-block" height="1em" width="14em" maw="100%" />
  if (place.error) {
    const isMissing = place.error instanceof ApiProblem && place.error.status === NOT_FOUND
    return <>{isMissing ? texts.log.none : texts.log.unknown}</>
  }
  const { index, checkpoint_size, witnesses } = place.data
  if (checkpoint_size === null) {
    return (
      <>
        {texts.log.leaf(index)}{' '}
        <PageLink to="/$org/proof" params={{ org }}>
          {texts.log.unsigned}
        </PageLink>
      </>
    )
  }
  return (
    <>
      {texts.log.leafIn(index, checkpoint_size, witnesses)}{' '}
      {/* The checkpoint in the file is the one that the text names. */}
      <Anchor
        inherit
        href={`${buildApiPath('log', org, 'proof')}?index=${index}&size=${checkpoint_size}`}
        download={`${org}-${index}.tlog-proof`}
      >
        {texts.log.download}
      </Anchor>
    </>
  )
}
