// Progressive enhancement of the pages: results while typing, keyboard navigation, copy buttons. Results reach the page only as text,
// never as markup.

const results_wait_ms = 120

const el = (id) => document.getElementById(id)
// This script is at <prefix>/docs/pages.js: addresses of hits are relative to its folder.
const addressOf = (path) => new URL(path, import.meta.url).href
let under_way = new AbortController()
let timer

function make(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

function show(hits, words) {
  el('hits').replaceChildren(
    ...hits.map(({ title, href, excerpt }) =>
      make(
        'li',
        {},
        make('a', { href: addressOf(href) }, title),
        ' ',
        make('span', { class: 'quiet' }, excerpt),
      ),
    ),
  )
  el('hits').hidden = hits.length === 0
  el('found').textContent = words
}

async function search() {
  under_way.abort()
  under_way = new AbortController()
  const { signal } = under_way
  const query = el('search').value.trim()
  if (query === '') return show([], '')
  try {
    const response = await fetch(addressOf(`search.json?q=${encodeURIComponent(query)}`), { signal })
    if (!response.ok) throw new Error(`The search answered ${response.status}.`)
    const { hits } = await response.json()
    show(hits, hits.length === 0 ? 'Nothing found. Try a shorter word.' : `${hits.length} found`)
  } catch (error) {
    if (!signal.aborted) show([], error.message)
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
  for (const block of document.querySelectorAll('main pre')) {
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

/** Operations used to be on the first page: old addresses still work. */
function followOldAddress() {
  const is_first_page = location.pathname.endsWith('/docs')
  const old = /^#[A-Z][A-Za-z0-9-]+(\/|$)/.test(location.hash)
  if (is_first_page && old) location.replace(`${addressOf('try')}${location.hash}`)
}

followOldAddress()
addCopyButtons()
el('search').addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(search, results_wait_ms)
})
el('find').addEventListener('keydown', step)
el('hits').addEventListener('keydown', step)
addEventListener('keydown', (event) => {
  const typing = ['INPUT', 'TEXTAREA', 'SELECT'].includes(document.activeElement?.tagName)
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  el('search').focus()
})
