// Keyboard shortcuts: g and a letter opens a page, ? lists them.
import { Kbd, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { words } from '../words/en.ts'
import { hashOf } from './address.ts'
import { nowMs } from './clock.ts'
import { pages } from './page-list.ts'

const letters: Readonly<Record<string, string>> = {
  o: 'overview',
  r: 'requests',
  p: 'playground',
  l: 'audit-log',
  i: 'inbox',
  w: 'alerts',
  e: 'reports',
  t: 'organizations',
  c: 'costs',
  m: 'mesh',
  a: 'access',
  s: 'settings',
}
export const search_keys = /^(Mac|iP)/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'
/** The second key follows the first within this time. */
const pause_ms_max = 1_500

export function useShortcuts(): void {
  useEffect(() => {
    let began_ms = 0
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || event.altKey || target.isContentEditable) return
      if (['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)) return
      if (event.key === '?') return showShortcuts()
      const word = letters[event.key]
      if (word && nowMs() - began_ms < pause_ms_max) location.hash = hashOf(word)
      began_ms = event.key === 'g' ? nowMs() : 0
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

export function showShortcuts(): void {
  notifications.show({
    id: 'shortcuts',
    title: words.shortcuts,
    autoClose: 15_000,
    message: (
      <Stack gap={4}>
        <span>
          <Kbd size="xs">{search_keys}</Kbd> {words.search}
        </span>
        <span>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> <Kbd size="xs">{words.enter_key}</Kbd>{' '}
          {words.move_in_list}
        </span>
        {Object.entries(letters).map(([letter, word]) => (
          <span key={letter}>
            <Kbd size="xs">g</Kbd> <Kbd size="xs">{letter}</Kbd>{' '}
            {pages.find((page) => page.word === word)?.name}
          </span>
        ))}
      </Stack>
    ),
  })
}
