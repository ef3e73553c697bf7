// Shows the page of the address. On a change of page the focus goes to its heading, so that a screen reader
// says where one is.
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { detailPages, pages } from './pages/registry.ts'
import { Empty } from './parts/empty.tsx'
import { Loading } from './parts/loading.tsx'
import { linkTo, route } from './state/route.ts'

export function Outlet() {
  const { page, rest } = route.value
  const isDetail = rest !== '' && page in detailPages
  const key = isDetail ? `${page}/` : page
  const [shown, setShown] = useState<{ key: string; Page: ComponentType | null; fault?: string }>()
  const isFirst = useRef(true)

  useEffect(() => {
    let isCurrent = true
    const load = isDetail ? detailPages[page] : pages.find((each) => each.key === page)?.load
    if (!load) setShown({ key, Page: null })
    else
      load().then(
        (Page) => isCurrent && setShown({ key, Page }),
        (error: Error) =>
          isCurrent &&
          setShown({
            key,
            Page: null,
            fault: `This part of the console could not be loaded: ${error.message}`,
          }),
      )
    return () => {
      isCurrent = false
    }
  }, [key])

  useEffect(() => {
    if (!shown || shown.key !== key) return
    document.title = `${pages.find((each) => each.key === page)?.title ?? 'Toolcrib'} · Toolcrib`
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    document.querySelector('main')?.scrollTo(0, 0)
    document.querySelector<HTMLElement>('main h1')?.focus()
  }, [shown, key, rest])

  if (!shown || shown.key !== key) return <Loading what="the page" lines={8} />
  if (shown.Page) return <shown.Page key={isDetail ? rest : page} />
  return (
    <div class="page">
      <h1 tabIndex={-1}>Nothing here</h1>
      <Empty title={shown.fault ?? `There is no page "${page}".`}>
        <a href={linkTo('tools')}>To the catalog</a>
      </Empty>
    </div>
  )
}
