// Progressive enhancement of the pages: results while typing, keyboard navigation, copy buttons. Results reach the page only as text,
// never as markup.
import { openSearch } from './search.js'

const results_wait_ms = 120

const el = (id) => document.getElementById(id)
// This script is at <prefix>/docs/pages.js: addresses of hits are relative to its folder.
const addressOf = (path) => new URL(path, import.meta.url).href
let opening
let timer

/** The library and the texts are loaded when the reader turns to the search. */
function searcher() {
  opening ??= open().catch((error) => {
    opening = undefined
    throw error
  })
  return opening
}

async function open() {
  const [{ default: MiniSearch }, documents] = await Promise.all([import('./minisearch.js'), readDocuments()])
  return openSearch(MiniSearch, documents)
}

async function readDocuments() {
  const response = await fetch(addressOf('search.json'))
  if (!response.ok)
    throw new Error(`The search cannot be loaded (${response.status}). Try again in a minute.`)
  return await response.json()
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

function show(hits, words) {
  el('hits').replaceChildren(
    ...hits.map(({ title, href, kind, excerpt }) =>
      make(
        'li',
        {},
        make('a', { href: addressOf(href) }, title),
        ' ',
        make('span', { class: 'kind' }, kind),
        ' ',
        make('span', { class: 'quiet' }, excerpt),
      ),
    ),
  )
  el('hits').hidden = hits.length === 0
  el('found').textContent = words
}

async function search() {
  const query = el('search').value.trim()
  if (query === '') return show([], '')
  try {
    const hits = (await searcher())(query)
    // Meanwhile the reader may have typed on.
    if (query !== el('search').value.trim()) return
    show(hits, hits.length === 0 ? 'Nothing found. Try another word.' : `${hits.length} found`)
  } catch (error) {
    show([], error.message)
  }
}

/** Arrow keys move through the field and the hits below it. */
function step(event) {
  if (event.key === 'Escape') {
    el('search').value = ''
    show([], '')
    el('search').focus()
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const places = [el('search'), ...el('hits').querySelectorAll('a')]
  const next = places[places.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)]
  if (!next) return
  event.preventDefault()
  next.focus()
}

function addCopyButtons() {
  // What a command prints is compared, not copied: it has holes.
  for (const block of document.querySelectorAll('main pre:not(:has(> .language-output))')) {
    const button = make('button', { type: 'button', class: 'copy' }, 'Copy')
    button.addEventListener('click', async () => {
      const text = block.querySelector('code')?.textContent ?? ''
      try {
        await navigator.clipboard.writeText(text)
        button.textContent = 'Copied'
      } catch {
        // Browsers allow the clipboard on secure origins only; a selection works everywhere.
        getSelection().selectAllChildren(block)
        button.textContent = 'Selected'
      }
    })
    block.before(button)
  }
}

addCopyButtons()
el('search').addEventListener('focus', () => searcher().catch(() => {}))
el('search').addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(search, results_wait_ms)
})
el('find').addEventListener('submit', (event) => {
  event.preventDefault()
  search()
})
// A shared address, or a form sent before this script ran: /docs/search?q=treaty.
const query = new URLSearchParams(location.search).get('q')
if (query !== null) {
  el('search').value = query.slice(0, 200)
  search()
}
el('find').addEventListener('keydown', step)
el('hits').addEventListener('keydown', step)
addEventListener('keydown', (event) => {
  const typing = ['INPUT', 'TEXTAREA', 'SELECT'].includes(document.activeElement?.tagName)
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  el('search').focus()
})
