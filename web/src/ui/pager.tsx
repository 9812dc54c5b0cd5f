// Pagers for lists that the server pages: by number if it counts the items, otherwise by cursor.
import { Anchor, Button, Group, Pagination, Text } from '@mantine/core'
import { formatCount, pluralize } from './format-count.ts'
import { Empty } from './states.tsx'
import { uiTexts as texts } from './texts.ts'

interface PagerProps {
  page: number
  page_count: number
  total: number
  /** The singular noun for the items. */
  noun: string
  onChange: (page: number) => void
}

export function Pager({ page, page_count, total, noun, onChange }: PagerProps) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {formatCount(total, noun)}
        {page_count > 1 && <span className="print-only" data-text={texts.pager.printed(page, page_count)} />}
      </Text>
      {page_count > 1 && (
        <nav aria-label={texts.pager.pagesOf(pluralize(noun))}>
          <Pagination
            value={page}
            total={page_count}
            onChange={onChange}
            size="sm"
            siblings={1}
            getItemProps={number => ({ 'aria-label': texts.pager.page(number) })}
            getControlProps={control => ({ 'aria-label': texts.pager[control] })}
          />
        </nav>
      )}
    </Group>
  )
}

/** Replaces the list on a page past the end: the list may have shrunk, or somebody typed the number. */
export function NoSuchPage({ onPage }: { onPage: (page: number) => void }) {
  return (
    <Empty title={texts.pager.noSuchPage}>
      <Anchor component="button" type="button" onClick={() => onPage(1)}>
        {texts.pager.backToFirst}
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

/** A cursor only leads forward; the browser's history leads back. */
export function CursorPager({ noun, onFirst, onNext }: CursorPagerProps) {
  if (!onFirst && !onNext) return null
  return (
    <Group justify="end" component="nav" aria-label={texts.pager.pagesOf(pluralize(noun))}>
      <Button variant="default" disabled={!onFirst} onClick={onFirst}>
        {texts.pager.first}
      </Button>
      <Button variant="default" disabled={!onNext} onClick={onNext}>
        {texts.pager.next}
      </Button>
    </Group>
  )
}
