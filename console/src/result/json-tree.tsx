// A value as a tree that opens where one looks. Only the rows in sight are drawn, so its size does not matter.
import { useMemo, useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { ScrollRows } from '../parts/scroll-rows.tsx'
import { announce } from '../state/notices.ts'
import { say } from '../words/say.ts'
import { kindOf } from './kind-of.ts'
import { findInTree, pathsAbove, type TreeRow, treeRows } from './tree-rows.ts'

const rowHeight = 24
const mostText = 300
const mostOpenAtFirst = 60

interface JsonTreeProps {
  readonly value: unknown
  /** Opens a part of it in the view that shows it best. */
  onShow?(path: string, value: unknown): void
}

export function JsonTree({ value, onShow }: JsonTreeProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openAtFirst(value))
  const [at, setAt] = useState(0)
  const [word, setWord] = useState('')
  const rows = useMemo(() => treeRows(value, open), [value, open])
  const hits = useMemo(() => (word.length > 1 ? findInTree(value, word) : []), [value, word])
  const hitSet = useMemo(() => new Set(hits), [hits])
  const toggle = (row: TreeRow, isOpen = !row.isOpen) => {
    const next = new Set(open)
    if (isOpen) next.add(row.path)
    else next.delete(row.path)
    setOpen(next)
  }
  const goToHit = (step: number) => {
    if (hits.length === 0) return
    const here = hits.indexOf(rows[at]?.path ?? '')
    const path = hits[(here + step + hits.length) % hits.length]!
    const next = new Set([...open, ...pathsAbove(value, path)])
    setOpen(next)
    setAt(treeRows(value, next).findIndex((row) => row.path === path))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at]
    if (!row) return
    const act = keyActions(event.key, row)
    if (!act) return
    event.preventDefault()
    if (act === 'open' || act === 'close') toggle(row, act === 'open')
    else if (act === 'copy') void copyPath(row.path)
    else if (act === 'show') onShow?.(row.path, row.value)
    else setAt(Math.max(0, Math.min(rows.length - 1, at + act)))
  }
  return (
    <div class="json-tree-box">
      <div class="row">
        <input
          class="input short"
          type="search"
          aria-label={say('Search in the result')}
          placeholder={say('Search in the result')}
          value={word}
          onInput={(event) => setWord(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            goToHit(event.shiftKey ? -1 : 1)
          }}
        />
        {word.length > 1 && (
          <>
            <span class="muted" role="status">
              {say('{n} hits', { n: hits.length })}
            </span>
            <button
              type="button"
              class="button small"
              onClick={() => goToHit(1)}
              disabled={hits.length === 0}
            >
              {say('Next hit')}
            </button>
          </>
        )}
        <span class="grow" />
        <button type="button" class="button small quiet" onClick={() => void copyPath(rows[at]?.path ?? '$')}>
          <Icon name="copy" /> {say('Copy path')}
        </button>
      </div>
      <ScrollRows
        class="json-tree"
        style={{ height: `${Math.min(24, Math.max(3, rows.length)) * rowHeight + 8}px` }}
        role="tree"
        aria-label={say('Result as a tree')}
        tabIndex={0}
        aria-activedescendant={`tree-row-${at}`}
        onKeyDown={onKeyDown}
        count={rows.length}
        rowHeight={rowHeight}
        at={at}
      >
        {(index) => (
          <Row
            key={rows[index]!.path}
            row={rows[index]!}
            index={index}
            isChosen={index === at}
            isHit={hitSet.has(rows[index]!.path)}
            onPick={() => {
              setAt(index)
              if (rows[index]!.size > 0) toggle(rows[index]!)
              else onShow?.(rows[index]!.path, rows[index]!.value)
            }}
          />
        )}
      </ScrollRows>
    </div>
  )
}

function openAtFirst(value: unknown): ReadonlySet<string> {
  const open = new Set(['$'])
  const rows = treeRows(value, open)
  // A small result shows one level more.
  if (rows.length <= mostOpenAtFirst)
    for (const row of rows) if (row.size > 0 && row.size <= mostOpenAtFirst / 2) open.add(row.path)
  return open
}

function keyActions(key: string, row: TreeRow): number | 'open' | 'close' | 'copy' | 'show' | null {
  if (key === 'ArrowDown') return 1
  if (key === 'ArrowUp') return -1
  if (key === 'PageDown') return 20
  if (key === 'PageUp') return -20
  if (key === 'ArrowRight') return row.size > 0 && !row.isOpen ? 'open' : 1
  if (key === 'ArrowLeft') return row.isOpen ? 'close' : -1
  if (key === 'Enter') return row.size > 0 ? (row.isOpen ? 'close' : 'open') : 'show'
  return key === 'c' ? 'copy' : null
}

async function copyPath(path: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(path)
    announce(say('{path} copied', { path }))
  } catch {
    announce(say('The browser does not allow copying here.'), true)
  }
}

interface RowProps {
  readonly row: TreeRow
  readonly index: number
  readonly isChosen: boolean
  readonly isHit: boolean
  onPick(): void
}

function Row({ row, index, isChosen, isHit, onPick }: RowProps) {
  const { key, value, depth, size, isOpen, path } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the row at hand
    <div
      id={`tree-row-${index}`}
      class="json-row"
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={size > 0 ? isOpen : undefined}
      aria-selected={isChosen}
      data-hit={isHit || undefined}
      title={path}
      style={{ height: `${rowHeight}px`, paddingLeft: `${Math.min(depth, 30) * 16 + 4}px` }}
      onClick={onPick}
    >
      <span class="twist" aria-hidden="true">
        {size > 0 ? (isOpen ? '▾' : '▸') : ''}
      </span>
      {key !== '' && <span class="j-key">{key}: </span>}
      <Plain value={value} size={size} />
    </div>
  )
}

function Plain({ value, size }: { value: unknown; size: number }) {
  if (Array.isArray(value)) return <span class="muted">[{size}]</span>
  if (typeof value === 'object' && value !== null) return <span class="muted">{`{${size}}`}</span>
  if (typeof value !== 'string')
    return <span class={typeof value === 'number' ? 'j-number' : 'j-word'}>{String(value)}</span>
  const kind = kindOf(value)
  return (
    <>
      <span class="j-string">{value.length > mostText ? `${value.slice(0, mostText)}…` : value}</span>
      {(value.length > mostText || kind === 'markdown' || kind === 'image' || kind === 'diff') && (
        <span class="tree-show">{say('show')}</span>
      )}
    </>
  )
}
