// From page to page of a list that the server cuts: by number where it counts them, by what comes next where it does not.
import { Anchor, Button, Group, Pagination, Text } from '@mantine/core'
import { formatCount, pluralize } from './format-count.ts'
import { Empty } from './states.tsx'

interface PagerProps {
  page: number
  page_count: number
  total: number
  /** What is listed, one of it. */
  noun: string
  onChange: (page: number) => void
}

const LABELS = { first: 'First page', previous: 'Page before', next: 'Next page', last: 'Last page' }

export function Pager({ page, page_count, total, noun, onChange }: PagerProps) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {formatCount(total, noun)}
      </Text>
      {page_count > 1 && (
        <nav aria-label={`Pages of ${pluralize(noun)}`}>
          <Pagination
            value={page}
            total={page_count}
            onChange={onChange}
            size="sm"
            siblings={1}
            getItemProps={number => ({ 'aria-label': `Page ${number}` })}
            getControlProps={control => ({ 'aria-label': LABELS[control] })}
          />
        </nav>
      )}
    </Group>
  )
}

/** Instead of what is listed, on a page that is not there: any more, or because somebody wrote its number. */
export function NoSuchPage({ onPage }: { onPage: (page: number) => void }) {
  return (
    <Empty title="This page is past the end">
      <Anchor component="button" type="button" onClick={() => onPage(1)}>
        Back to the first page
      </Anchor>
    </Empty>
  )
}

interface CursorPagerProps {
  noun: string
  /** Undefined on the first page. */
  onFirst: (() => void) | undefined
  /** Undefined on the last page. */
  onNext: (() => void) | undefined
}

/** A cursor knows what comes next; what came before is in the history of the browser. */
export function CursorPager({ noun, onFirst, onNext }: CursorPagerProps) {
  if (!onFirst && !onNext) return null
  return (
    <Group justify="end" component="nav" aria-label={`Pages of ${pluralize(noun)}`}>
      <Button variant="default" disabled={!onFirst} onClick={onFirst}>
        {LABELS.first}
      </Button>
      <Button variant="default" disabled={!onNext} onClick={onNext}>
        {LABELS.next}
      </Button>
    </Group>
  )
}
