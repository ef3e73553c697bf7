// Shows the page of the address. The heading of a page takes the focus when its data is there.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { detailPages, pages } from './pages/registry.ts'
import { Empty } from './parts/empty.tsx'
import { Heading } from './parts/heading.tsx'
import { Loading } from './parts/loading.tsx'
import { NotLoaded } from './parts/not-loaded.tsx'
import { arrived } from './state/navigation.ts'
import { titleParts } from './state/page-title.ts'
import { linkTo, route } from './state/route.ts'
import { say } from './words/say.ts'

export function Outlet() {
  const { page, rest } = route.value
  const isDetail = rest !== '' && page in detailPages
  const key = isDetail ? `${page}/` : page
  const [shown, setShown] = useState<{ key: string; Page: ComponentType | null; fault?: string }>()

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
            fault: error.message,
          }),
      )
    return () => {
      isCurrent = false
    }
  }, [key])

  useEffect(() => {
    const title = pages.find((each) => each.key === page)?.title
    titleParts.value = [...(isDetail ? [rest] : []), ...(title ? [say(title)] : [])]
    arrived()
  }, [key, rest])

  if (!shown || shown.key !== key) return <Loading what={say('the page')} lines={8} isPage />
  if (shown.Page) return <shown.Page key={isDetail ? rest : page} />
  if (shown.fault !== undefined)
    return (
      <div class="page">
        <Heading>{titleParts.value[0] ?? say('Home')}</Heading>
        <NotLoaded why={shown.fault} />
      </div>
    )
  return (
    <div class="page">
      <Heading>{say('Page not found')}</Heading>
      <Empty title={say('There is no page "{page}".', { page })}>
        <a href={linkTo('home')}>{say('Home')}</a>
      </Empty>
    </div>
  )
}
