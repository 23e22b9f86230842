// The frame of every page: navigation, search, the signed-in person, and the theme.
import { ActionIcon, Button, Drawer, Kbd, Loader, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { spotlight } from '@mantine/spotlight'
import { IconMenu2, IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Navigate } from 'react-router'
import { permissionOf } from '../api/session.ts'
import { NoRight } from '../parts/no-right.tsx'
import { words } from '../words/en.ts'
import { hashOf } from './address.ts'
import { Navigation } from './navigation.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { moved, type PageRow, pages } from './page-list.ts'
import { PersonMenu } from './person-menu.tsx'
import { search_keys, useShortcuts } from './shortcuts.tsx'
import { usePlace } from './use-place.ts'
import { useSession } from './use-session.tsx'

const CommandMenu = lazy(async () => ({ default: (await import('./command-menu.tsx')).CommandMenu }))

export function Frame() {
  const place = usePlace()
  const here = pages.find(({ word }) => word === place.page)
  const main = useRef<HTMLElement>(null)
  const [is_menu_open, menu] = useDisclosure()
  useShortcuts()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page sets the title and moves the keyboard focus.
  useEffect(() => {
    document.title = `${here?.name ?? words.no_page} · ${words.product}`
    main.current?.focus()
    menu.close()
  }, [here?.word])
  const now_at = moved[place.page]
  if (now_at) return <Navigate replace to={hashOf(now_at, place.rest, place.query).slice(1)} />
  return (
    <div className="frame">
      <Button className="skip" onClick={() => main.current?.focus()}>
        {words.skip}
      </Button>
      <aside className="side">
        <Navigation here={here?.word} />
      </aside>
      <Drawer
        opened={is_menu_open}
        onClose={menu.close}
        size={270}
        title={words.product}
        closeButtonProps={{ 'aria-label': words.close_menu }}
      >
        <Navigation here={here?.word} />
      </Drawer>
      <header className="top">
        <ActionIcon
          className="only-phone"
          variant="subtle"
          size="lg"
          onClick={menu.open}
          aria-label={words.open_menu}
        >
          <IconMenu2 size={20} />
        </ActionIcon>
        <SearchButton />
        <PersonMenu />
      </header>
      <main id="main" className="page" tabIndex={-1} ref={main}>
        {here ? <ShownPage key={here.word} page={here} /> : <NoPage />}
      </main>
      <Suspense>
        <CommandMenu />
      </Suspense>
    </div>
  )
}

function SearchButton() {
  return (
    <Tooltip label={words.search_hint}>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconSearch size={14} />}
        rightSection={
          <Kbd size="xs" className="never-phone">
            {search_keys}
          </Kbd>
        }
        onClick={spotlight.open}
      >
        {words.search}
      </Button>
    </Tooltip>
  )
}

function ShownPage({ page }: { page: PageRow }) {
  const place = usePlace()
  const session = useSession()
  const may_use =
    page.needs.length === 0 ||
    page.needs.some((need) => (permissionOf(session, ...need)?.may ?? 'no') !== 'no')
  return (
    <PageBoundary>
      <div className="page-head">
        <div>
          <h1>{page.name}</h1>
          <Text size="sm" c="dimmed" component="p">
            {page.summary}
          </Text>
        </div>
        <div id="page-actions" className="row middle" />
      </div>
      {may_use ? (
        <Suspense fallback={<Waiting />}>
          <page.Page place={place} />
        </Suspense>
      ) : (
        <NoRight
          protocol={page.needs[0]![0]}
          operation={page.needs[0]![1]}
          title={words.no_right(page.name)}
        />
      )}
    </PageBoundary>
  )
}

function Waiting() {
  return (
    <p role="status">
      <Loader size="xs" /> {words.loading}
    </p>
  )
}

function NoPage() {
  return (
    <>
      <h1>{words.no_page}</h1>
      <p>
        <a href={hashOf('overview')}>{words.no_page_go}</a>
      </p>
    </>
  )
}
